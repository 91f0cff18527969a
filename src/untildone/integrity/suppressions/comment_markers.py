"""Comments that tell tools to ignore code, or to be stricter with it.

`# noqa: E501, F401` has two markers with the reach `line noqa` and the rules `E501` and `F401`.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct

from untildone.core.late_patterns import compile_late
from untildone.syntax.rules import read_data

COMMENTS = Path(__file__).parent / "rules" / "comments.yml"
# E501, F401
_CODES = r"[\w./@-]+(?:\s*,\s*[\w./@-]+)*"
_STRICT = compile_late(
    r"@(ts-check|flow)\b|#\s*(mypy:\s*strict|pyright:\s*strict|typed:\s*(strict|true))"
)
# Where Python ends a comment.
_LINE_END = compile_late(r"[\r\n]")
# `@ts-expect-error` is an error itself where there is nothing to ignore; `@ts-ignore` is not.
LAXER_MARKERS = {"ts-expect-error": "ts-ignore"}


class MarkerRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    # What the comment does, in one sentence.
    message: str
    # Finds the tools that read the comment in the commands of the checks.
    tools: str
    pattern: str
    reach: Literal["line", "block", "file"] = "line"
    # Patterns of what stands between the marker and its codes, and of the codes.
    before_codes: str = ""
    codes: str = _CODES


class Marker(NamedTuple):
    # How far it reaches, and its name: `line noqa`
    reach: str
    # A code, or the marker's own name where it has no codes.
    rule: str


def read_markers(comment: str) -> Iterator[Marker]:
    """Yield one marker for each code that the comment names; one without codes if it names none."""
    if not _compile_all().search(comment):
        return
    for rule, pattern in load_markers():
        if found := pattern.search(comment):
            codes = found.groupdict().get("codes") or ""
            names = re.findall(r"[^,\s]+", codes) or [rule.name]
            yield from (Marker(f"{rule.reach} {rule.name}", name) for name in names)
            return


@cache
def find_readers(name: str) -> str:
    """Return the pattern of the tools that read the markers of this name: `ruff|flake8`."""
    return "|".join({rule.tools: None for rule, _ in load_markers() if rule.name == name})


@cache
def load_markers() -> tuple[tuple[MarkerRule, re.Pattern[str]], ...]:
    """Return the rules of `comments.yml`, each with the pattern of its marker and codes."""
    rules = read_data(COMMENTS, dict[str, tuple[MarkerRule, ...]])["markers"]
    return tuple((rule, compile_late(rule.pattern + _make_codes_pattern(rule))) for rule in rules)


@cache
def _compile_all() -> re.Pattern[str]:
    """Return a pattern that is found wherever that of a rule is."""
    unnamed = (rule.pattern.replace("(?P<codes>", "(?:") for rule, _ in load_markers())
    # `(?i)` is only allowed at the beginning of all.
    scoped = (
        f"(?i:{text.removeprefix('(?i)')})" if text.startswith("(?i)") else f"(?:{text})"
        for text in unnamed
    )
    return re.compile("|".join(scoped))


def may_hold_markers(text: str) -> bool:
    """Say whether a line of the Python code holds a marker, or a demand, in a comment or not.

    To find the comments takes much longer.
    """
    lines = (line for line in _LINE_END.split(text) if "#" in line)
    return any(_compile_all().search(line) or _STRICT.search(line) for line in lines)


def _make_codes_pattern(rule: MarkerRule) -> str:
    return rf"(?:{rule.before_codes}(?P<codes>{rule.codes}))?" if rule.before_codes else ""


def read_strictness(comment: str) -> str:
    """Return what the comment asks of a tool beyond its settings; empty if nothing."""
    found = _STRICT.search(comment)
    return found[0].lstrip("#@ ") if found else ""
