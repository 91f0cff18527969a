"""The comments by which tools are told to ignore code, or to be stricter with it."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct

from untildone.syntax.rules import read_data

COMMENTS = Path(__file__).parent / "rules" / "comments.yml"
_CODES = r"[\w./@-]+(?:\s*,\s*[\w./@-]+)*"
_STRICT = re.compile(
    r"@(ts-check|flow)\b|#\s*(mypy:\s*strict|pyright:\s*strict|typed:\s*(strict|true))"
)
# Each ignores the same as its value does, and in addition reports when that is not needed.
STRICTER = {"ts-expect-error": "ts-ignore"}


class MarkerRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    # What the comment does, in one sentence.
    message: str
    pattern: str
    reach: Literal["line", "block", "file"] = "line"
    before_codes: str = ""
    codes: str = _CODES


class Marker(NamedTuple):
    reach: str
    # A code, or the marker's own name where it has no codes.
    rule: str


def read_markers(comment: str) -> Iterator[Marker]:
    for rule, pattern in load_markers():
        if found := pattern.search(comment):
            yield from _read_codes(rule, found.groupdict().get("codes") or "")
            return


@cache
def load_markers() -> tuple[tuple[MarkerRule, re.Pattern[str]], ...]:
    rules = read_data(COMMENTS, dict[str, tuple[MarkerRule, ...]])["markers"]
    return tuple((rule, re.compile(_make_pattern(rule))) for rule in rules)


def _make_pattern(rule: MarkerRule) -> str:
    codes = rf"(?:{rule.before_codes}(?P<codes>{rule.codes}))?" if rule.before_codes else ""
    return rule.pattern + codes


def _read_codes(rule: MarkerRule, codes: str) -> Iterator[Marker]:
    if rule.name == "global":
        yield Marker(rule.reach, rule.name)
        return
    for code in re.findall(r"[^,\s]+", codes) or [rule.name]:
        yield Marker(f"{rule.reach} {rule.name}", code)


def read_strictness(comment: str) -> str:
    """Return what the comment asks of a tool beyond its settings; empty if nothing."""
    found = _STRICT.search(comment)
    return found[0].lstrip("#@ ") if found else ""
