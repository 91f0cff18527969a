"""The clarity of a spec: five dimensions of 0 to 2 points, from its text and agreed terms."""

import re
from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

Dimension: TypeAlias = Literal["outcome", "scope", "constraints", "success", "done"]
Shape: TypeAlias = Literal["tool", "colleague", "vague"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
MAX_SCORE = 2 * len(DIMENSIONS)
MIN_TOOL_SCORE, MIN_COLLEAGUE_SCORE = 8, 5
QUESTIONS: dict[Dimension, str] = {
    "outcome": "what will be true that is not true now, as a number or a fact one can look up?",
    "scope": "which files, folders, routes or names does it concern?",
    "constraints": "what must not change, be added or be exceeded?",
    "success": "which commands or observations show that it works?",
    "done": "what ends the work: done when …?",
}
_MAX_SPEC = 20_000
_NAMED = r"`[^`\n]+`"
_PATH = (
    r"(?<![\w:/])(?!(?:and/or|on/off|pass/fail|read/write|input/output|yes/no)\b)"
    r"/?[\w.-]+/[\w./{}*-]+|(?<![\w/])/\w[\w-]*|\b[\w-]{2,}\.[a-z][a-z0-9]{0,4}\b|\b\w+\(\)"
    r"|\b[a-z0-9]+_[a-z0-9_]+\b|\b[a-z]+[A-Z]\w*"
)
_MEASURE = (
    r"[<>\u2264\u2265=]\s*\d[\w.]*"
    r"|\b\d+(?:\.\d+)?\s*(?:%|ms|s|sec|seconds|minutes|kb|mb|errors|warnings)(?!\w)"
    r"|(?i:\breturns? \d{3}\b)"
)
_EVERY = r"(?i)\b(?:all|every|each|zero|no longer|at least|at most)\b"
_LIMIT = (
    r"(?i)\bno (?:new|other|more|extra|changes?)\b|\b(?:must|do|may|should) not\b"
    r"|\bwithout (?!confirmation|asking|further)"
    r"|\w+n['\u2019]t (?!stop)\w+|\b(?:never|at most|only|unchanged|keep|compatible)\b"
    r"|[<\u2264]\s*\d+\s*(?:loc|lines|files|deps|dependencies|kb|mb)\b"
)
_METHOD = r"(?i)\b(?:use|using|with|existing|follow|following|like|style|conventions?|stack)\b"
_COMMAND = (
    r"\b(?:pytest|tox|nox|ruff|mypy|tsc|eslint|vitest|jest|ctest|mvn|gradle|curl)\b"
    r"|\b(?:npm|yarn|pnpm|bun|deno|cargo|uv) (?:run )?[a-z][\w:-]*|\bgo (?:build|test|vet)\b"
    r"|\bmake (?:all|build|check|ci|e2e|lint|test|verify)\b"
    r"|`[^`\n]+` (?:pass(?:es)?|succeeds?|exits?|is green)\b"
)
_SHOWN_BY = (
    r"(?i)\btests?\b|\bgreen\b|\blint\w*",
    r"(?i)\b(?:builds?|compiles?|type.?checks?)\b",
    r"(?i)\b(?:qa|review\w*|screenshots?|by hand|manual\w*)\b",
    r"(?i)\b(?:benchmarks?|measured?|latency|coverage)\b",
    r"(?i)\b(?:works?|verif\w+|returns?|renders?|prints?|shows?)\b",
)
_DONE_WHEN = r"(?i)\b(?:done|finished|complete|ready|over) (?:when|once|if|means)\b[: ]*([^\n]*)"
_UNTIL = r"(?i)\buntil\b ([^\n]*)"
_HANDED_OVER = r"(?i)\b(?:merged|released|deployed|published|tagged|pull request|pr)\b"
_WHEN = r"(?i)\b(?:when|until|once)\b"
_FILLERS = (
    "a add all and an any app application as be better bit clean code do done everything fast"
    " fine finish fix for go good great improve in is it its job make more my nice nicer of on"
    " our please project proper properly quality some something stuff system task that the"
    " there thing things this to until up when whole with work working works"
)
_FILLER_WORDS = frozenset(_FILLERS.split())


class AgreedTerms(Struct, frozen=True, kw_only=True):
    """How many checks, claims and constraints the loop has besides its text."""

    checks: int = 0
    claims: int = 0
    limits: int = 0


class Opinion(Struct, frozen=True, kw_only=True):
    """The agent's score of one dimension."""

    score: int
    reason: str


class Rating(Struct, frozen=True, kw_only=True):
    """Our score, the words of the text it rests on, and the agent's score."""

    dimension: Dimension
    ours: int
    seen: str
    theirs: int | None = None
    reason: str = ""

    @property
    def counted(self) -> int:
        return self.ours if self.theirs is None else self.theirs


class Score(Struct, frozen=True, kw_only=True):
    total: int
    shape: Shape
    ratings: tuple[Rating, ...]
    questions: tuple[str, ...]


def score_spec(
    text: str, agreed: AgreedTerms | None = None, opinions: dict[Dimension, Opinion] | None = None
) -> Score:
    """The lower total counts, so that an agent cannot raise the score of a vague spec."""
    ratings = tuple(
        _rate(dimension, text[:_MAX_SPEC], agreed or AgreedTerms(), (opinions or {}).get(dimension))
        for dimension in DIMENSIONS
    )
    total = min(sum(rating.ours for rating in ratings), sum(rating.counted for rating in ratings))
    wanting = [rating for rating in ratings if min(rating.ours, rating.counted) < 2]
    return Score(
        total=total,
        shape=choose_shape(total),
        ratings=ratings,
        questions=tuple(QUESTIONS[rating.dimension] for rating in wanting),
    )


def choose_shape(total: int) -> Shape:
    if total >= MIN_TOOL_SCORE:
        return "tool"
    return "colleague" if total >= MIN_COLLEAGUE_SCORE else "vague"


def _rate(dimension: Dimension, text: str, agreed: AgreedTerms, opinion: Opinion | None) -> Rating:
    ours, seen = _RATERS[dimension](text, agreed)
    return Rating(
        dimension=dimension,
        ours=ours,
        seen=seen or "nothing said",
        theirs=opinion.score if opinion else None,
        reason=opinion.reason if opinion else "",
    )


_Reading: TypeAlias = tuple[int, str]


def _rate_outcome(text: str, _: AgreedTerms) -> _Reading:
    exact = _search(_MEASURE, text) or _search(_NAMED, text) or _find_quantifier(text)
    return (2, exact) if exact else _find_subject(text)


def _rate_scope(text: str, _: AgreedTerms) -> _Reading:
    exact = _search(_PATH, text) or _search(_NAMED, text)
    return (2, exact) if exact else _find_subject(text)


def _find_quantifier(text: str) -> str:
    """A word such as "every", if the text also names something: "make it all work" does not."""
    return _search(_EVERY, text) if _find_subject(text)[0] else ""


def _find_subject(text: str) -> _Reading:
    words = re.findall(r"[^\W\d_]{2,}", text)
    subjects = [word for word in words if word.casefold() not in _FILLER_WORDS]
    return (1, subjects[-1]) if subjects else (0, "")


def _rate_constraints(text: str, agreed: AgreedTerms) -> _Reading:
    if agreed.limits:
        return 2, f"{agreed.limits} agreed"
    limit = _search(_LIMIT, text)
    way = _search(_METHOD, text)
    return (2, limit) if limit else (int(bool(way)), way)


def _rate_success(text: str, agreed: AgreedTerms) -> _Reading:
    command = _search(_COMMAND, text)
    if command:
        return 2, command
    ways = [seen for seen in (_search(pattern, text) for pattern in _SHOWN_BY) if seen]
    agreed_on = agreed.checks + agreed.claims
    if len(ways) + agreed_on:
        seen = ", ".join([*ways, *([f"{agreed_on} criteria agreed"] if agreed_on else [])])
        return min(2, len(ways) + agreed_on), seen
    return 0, ""


def _rate_done(text: str, agreed: AgreedTerms) -> _Reading:
    for pattern in (_DONE_WHEN, _UNTIL):
        ending = re.search(pattern, text)
        if ending and _find_subject(ending[1])[0]:
            return 2, ending[0].strip()[:80]
    handed_over = _search(_HANDED_OVER, text)
    if handed_over or agreed.claims:
        return 2, handed_over or f"{agreed.claims} claims agreed"
    implied = (
        _search(_WHEN, text) or _find_quantifier(text) or ("checks agreed" if agreed.checks else "")
    )
    return int(bool(implied)), implied


def _search(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    return found[0].strip() if found else ""


_RATERS: dict[Dimension, Callable[[str, AgreedTerms], _Reading]] = {
    "outcome": _rate_outcome,
    "scope": _rate_scope,
    "constraints": _rate_constraints,
    "success": _rate_success,
    "done": _rate_done,
}
