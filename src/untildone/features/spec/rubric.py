"""Scores how clear a spec is: five dimensions of 0 to 2 points, so 0 to 10 in total.

Words and patterns of the text give the points; so do the checks, claims and constraints that were
agreed on besides the text. "Fix /api/token: p95 <100 ms, no new packages, done when make e2e
passes" gets all 10 points, "make it better" none.
"""

import re
from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

Dimension: TypeAlias = Literal["outcome", "scope", "constraints", "success", "done"]
# How a loop treats the spec: "tool" works silently, "colleague" asks the user at gates, "vague" is
# refused.
Grade: TypeAlias = Literal["tool", "colleague", "vague"]
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
# Characters of the spec that are looked at.
_MAX_SPEC = 20_000
# `session_id`
_IN_BACKTICKS = r"`[^`\n]+`"
# src/auth/login.py, /api/token, login.py, load_user(), user_id, userId
_PATH = (
    r"(?<![\w:/])(?!(?:and/or|on/off|pass/fail|read/write|input/output|yes/no)\b)"
    r"/?[\w.-]+/[\w./{}*-]+|(?<![\w/])/\w[\w-]*|\b[\w-]{2,}\.[a-z][a-z0-9]{0,4}\b|\b\w+\(\)"
    r"|\b[a-z0-9]+_[a-z0-9_]+\b|\b[a-z]+[A-Z]\w*"
)
# all API routes, every test: a set that can be listed
_LISTED_SET = (
    r"(?i)\b(?:all|every|each)\b(?: [\w-]+){0,3}? (?:classes|commands?|components?|endpoints?"
    r"|files?|forms?|functions?|handlers?|imports?|methods?|modules?|packages?|pages?|queries|query"
    r"|routes?|screens?|scripts?|services?|tables?|templates?|tests?|types?|views?)\b"
)
# A refactoring succeeds if everything works as before, whether its spec says so or not.
_KEEPS_BEHAVIOUR = r"(?i)\b(?:refactor|restructure|reorgani[sz]e|rename|migrate|port)\b"
# <100, 95 %, 200 ms, 0 errors, returns 404
_MEASURE = (
    r"[<>\u2264\u2265=]\s*\d[\w.]*"
    r"|\b\d+(?:\.\d+)?\s*(?:%|ms|s|sec|seconds|minutes|kb|mb|errors|warnings)(?!\w)"
    r"|(?i:\breturns? \d{3}\b)"
)
_QUANTIFIER = r"(?i)\b(?:all|every|each|zero|no longer|at least|at most)\b"
# no new packages, must not, without …, doesn't change, at most, < 200 lines; but not "don't stop"
# or "without confirmation", which are about the loop
_LIMIT = (
    r"(?i)\bno (?:new|other|more|extra|changes?)\b|\b(?:must|do|may|should) not\b"
    r"|\bwithout (?!confirmation|asking|further)"
    r"|\w+n['\u2019]t (?!stop)\w+|\b(?:never|at most|only|unchanged|keep|compatible)\b"
    r"|[<\u2264]\s*\d+\s*(?:loc|lines|files|deps|dependencies|kb|mb)\b"
)
# How it is to be done, a weaker constraint: "follow the existing style".
_METHOD = r"(?i)\b(?:use|using|with|existing|follow|following|like|style|conventions?|stack)\b"
# pytest, npm run build, make e2e, `./verify.sh` passes
_COMMAND = (
    r"\b(?:pytest|tox|nox|ruff|mypy|tsc|eslint|vitest|jest|ctest|mvn|gradle|curl)\b"
    r"|\b(?:npm|yarn|pnpm|bun|deno|cargo|uv) (?:run )?[a-z][\w:-]*|\bgo (?:build|test|vet)\b"
    r"|\bmake (?:all|build|check|ci|e2e|lint|test|verify)\b"
    r"|`[^`\n]+` (?:pass(?:es)?|succeeds?|exits?|is green)\b"
)
# Each pattern is another way to show success: tests, builds, people, measurements, behaviour.
_EVIDENCE_KINDS = (
    r"(?i)\btests?\b|\bgreen\b|\blint\w*",
    r"(?i)\b(?:builds?|compiles?|type.?checks?)\b",
    r"(?i)\b(?:qa|review\w*|screenshots?|by hand|manual\w*)\b",
    r"(?i)\b(?:benchmarks?|measured?|latency|coverage)\b",
    r"(?i)\b(?:works?|verif\w+|returns?|renders?|prints?|shows?)\b",
)
# done when make e2e passes
_DONE_WHEN = r"(?i)\b(?:done|finished|complete|ready|over) (?:when|once|if|means)\b[: ]*([^\n]*)"
_UNTIL = r"(?i)\buntil\b ([^\n]*)"
_HANDOVER = r"(?i)\b(?:merged|released|deployed|published|tagged|pull request|pr)\b"
_END_WORD = r"(?i)\b(?:when|until|once)\b"
# Words that name no subject: a spec of these alone, "make it all work", says nothing.
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
    """The points of one dimension, as `score --json` prints them."""

    dimension: Dimension
    # Our points, and the words of the text they rest on.
    ours: int
    seen: str
    # The agent's points and its reason; None if it gave no opinion.
    theirs: int | None = None
    reason: str = ""

    @property
    def points_with_opinion(self) -> int:
        """The agent's points if it gave an opinion, else ours."""
        return self.ours if self.theirs is None else self.theirs


class Score(Struct, frozen=True, kw_only=True):
    """The result for a whole spec; `questions` are what the user should answer in it."""

    total: int
    grade: Grade
    ratings: tuple[Rating, ...]
    questions: tuple[str, ...]


def score_spec(
    text: str, agreed: AgreedTerms | None = None, opinions: dict[Dimension, Opinion] | None = None
) -> Score:
    """Score a spec by its text, the terms agreed on besides it, and the agent's opinions.

    The lower of our total and the agent's counts, so an agent cannot raise the score of its spec.
    """
    ratings = tuple(
        _rate(dimension, text[:_MAX_SPEC], agreed or AgreedTerms(), (opinions or {}).get(dimension))
        for dimension in DIMENSIONS
    )
    our_total = sum(rating.ours for rating in ratings)
    total = min(our_total, sum(rating.points_with_opinion for rating in ratings))
    unclear = [rating for rating in ratings if min(rating.ours, rating.points_with_opinion) < 2]
    return Score(
        total=total,
        grade=choose_grade(total),
        ratings=ratings,
        questions=tuple(QUESTIONS[rating.dimension] for rating in unclear),
    )


def choose_grade(total: int) -> Grade:
    """Return the grade of a total of 0 to 10 points."""
    if total >= MIN_TOOL_SCORE:
        return "tool"
    return "colleague" if total >= MIN_COLLEAGUE_SCORE else "vague"


def _rate(dimension: Dimension, text: str, agreed: AgreedTerms, opinion: Opinion | None) -> Rating:
    """Rate one dimension, and add the agent's opinion of it."""
    ours, seen = _RATERS[dimension](text, agreed)
    return Rating(
        dimension=dimension,
        ours=ours,
        seen=seen or "nothing said",
        theirs=opinion.score if opinion else None,
        reason=opinion.reason if opinion else "",
    )


# The points of one dimension, and the words they rest on.
_Points: TypeAlias = tuple[int, str]


def _rate_outcome(text: str, _: AgreedTerms) -> _Points:
    """Give 2 points for a measure, a name in backticks or a quantifier; 1 for any subject."""
    exact = _search(_MEASURE, text) or _search(_IN_BACKTICKS, text) or _find_quantifier(text)
    return (2, exact) if exact else _find_subject(text)


def _rate_scope(text: str, _: AgreedTerms) -> _Points:
    """Give 2 points for a path, a name of code or a listed set; 1 for any subject."""
    exact = _search(_PATH, text) or _search(_IN_BACKTICKS, text) or _search(_LISTED_SET, text)
    return (2, exact) if exact else _find_subject(text)


def _find_quantifier(text: str) -> str:
    """Return a word such as "every" if the text also has a subject; "make it all work" has none."""
    return _search(_QUANTIFIER, text) if _find_subject(text)[0] else ""


def _find_subject(text: str) -> _Points:
    """Return 1 and the last word that is no filler, or 0 if every word is."""
    words = re.findall(r"[^\W\d_]{2,}", text)
    subjects = [word for word in words if word.casefold() not in _FILLER_WORDS]
    return (1, subjects[-1]) if subjects else (0, "")


def _rate_constraints(text: str, agreed: AgreedTerms) -> _Points:
    """Give 2 points for an agreed constraint or a limit in the text; 1 for a method to follow."""
    if agreed.limits:
        return 2, f"{agreed.limits} agreed"
    limit = _search(_LIMIT, text)
    method = _search(_METHOD, text)
    return (2, limit) if limit else (int(bool(method)), method)


def _rate_success(text: str, agreed: AgreedTerms) -> _Points:
    """Give 2 points for a command that shows success; else 1 for each other way or criterion.

    Without any, a refactoring still implies one: that everything works as before.
    """
    command = _search(_COMMAND, text)
    if command:
        return 2, command
    ways = [seen for seen in (_search(pattern, text) for pattern in _EVIDENCE_KINDS) if seen]
    criteria = agreed.checks + agreed.claims
    if len(ways) + criteria:
        seen = ", ".join([*ways, *([f"{criteria} criteria agreed"] if criteria else [])])
        return min(2, len(ways) + criteria), seen
    kept = _search(_KEEPS_BEHAVIOUR, text)
    return (1, f"{kept}: works as before") if kept else (0, "")


def _rate_done(text: str, agreed: AgreedTerms) -> _Points:
    """Give 2 points for an explicit end, a handover ("merged") or a claim; 1 for an implied end."""
    for pattern in (_DONE_WHEN, _UNTIL):
        ending = re.search(pattern, text)
        if ending and _find_subject(ending[1])[0]:
            return 2, ending[0].strip()[:80]
    handover = _search(_HANDOVER, text)
    if handover or agreed.claims:
        return 2, handover or f"{agreed.claims} claims agreed"
    implied = (
        _search(_END_WORD, text)
        or _find_quantifier(text)
        or ("checks agreed" if agreed.checks else "")
    )
    return int(bool(implied)), implied


def _search(pattern: str, text: str) -> str:
    """Return the first match of the pattern, or an empty text."""
    match = re.search(pattern, text)
    return match[0].strip() if match else ""


_RATERS: dict[Dimension, Callable[[str, AgreedTerms], _Points]] = {
    "outcome": _rate_outcome,
    "scope": _rate_scope,
    "constraints": _rate_constraints,
    "success": _rate_success,
    "done": _rate_done,
}
