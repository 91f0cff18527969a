"""A person's success and failure patterns, searched line by line within a time limit."""

import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from untildone.checks.findings import Diagnostic
from untildone.core.model import Check, Severity
from untildone.errors import UserError

if TYPE_CHECKING:
    from regex import Pattern  # type: ignore[import-untyped]  # it ships no types

SECONDS = 2.0
# What the pattern of a check may name.
GROUPS = ("path", "line", "code", "severity", "text")
_SEVERITIES: dict[str, Severity] = {
    "warning": "warning",
    "warn": "warning",
    "w": "warning",
    "info": "info",
    "note": "info",
    "hint": "info",
    "security": "security",
}

# 0 failed, no errors, 0 lint errors, no warnings or errors
_ZERO_BEFORE = re.compile(
    r"(?<![\w.,:-])(?:0|no|zero|without) (?P<noun>(?:any )?"
    r"(?:(?:lint|type|test|tests|build|compile|compilation|syntax|unit|fatal|new|other|more) )?"
    r"(?:\w{1,40} (?:or|and) )?[\w-]{1,40})",
    re.IGNORECASE,
)
# Failures: 0, Errors: 0
_ZERO_AFTER = re.compile(
    r"(?<![\w-])(?P<noun>[\w-]{1,40})\s{0,8}[:=]\s{0,8}0(?=\s{0,8}(?:$|[,;|)\]]|\s\w{1,40}\s{0,8}[:=]))"
)
_COUNTS_OF_ZERO = (_ZERO_BEFORE, _ZERO_AFTER)


class Match(Struct, frozen=True):
    """What a pattern found; `late` if it was given up."""

    text: str = ""
    timed_out: bool = False


def _compiled(pattern: str) -> "Pattern":
    # Imported where it is used: hardly any check has a pattern, and each would wait for it.
    import regex

    return regex.compile(pattern, regex.IGNORECASE)


def validate_patterns(check: Check) -> None:
    from regex import error as wrong_pattern

    for kind, pattern in (("success", check.success_pattern), ("failure", check.failure_pattern)):
        try:
            _compiled(pattern)
        except wrong_pattern as error:
            raise UserError(
                f"the {kind} pattern `{pattern}` of check `{check.name}` is no regular expression:"
                f" {error.msg}",
                hint=f"mend it at character {(error.pos or 0) + 1}: `--{kind}-pattern RE`",
            ) from error


def explain_invalid(pattern: str) -> str:
    """Why it is no regular expression, or nothing."""
    from regex import error as wrong_pattern

    try:
        _compiled(pattern)
    except wrong_pattern as error:
        return f"{error.msg} at character {(error.pos or 0) + 1}"
    return ""


def list_groups(pattern: str) -> tuple[str, ...]:
    return tuple(_compiled(pattern).groupindex)


def find_diagnostics(check: Check, text: str) -> tuple[tuple[Diagnostic, ...], bool]:
    """What the check's own pattern finds, line by line, and whether it was given up."""
    deadline = time.monotonic() + SECONDS
    compiled = _compiled(check.pattern)
    found: list[Diagnostic] = []
    try:
        for line in text.split("\n"):
            match = compiled.search(line, timeout=_left(deadline))
            if match:
                found.append(_diagnostic(match.groupdict(default="")))
    except TimeoutError:
        return tuple(found), True
    return tuple(found), False


def _diagnostic(said: dict[str, str]) -> Diagnostic:
    line = said.get("line", "")
    return Diagnostic(
        path=said.get("path", "").strip(),
        line=int(line) if re.fullmatch(r"[0-9]{1,9}", line) else 0,
        code=said.get("code", ""),
        severity=_SEVERITIES.get(said.get("severity", "").casefold(), "error"),
        text=said.get("text", "").strip(),
    )


def find_success(check: Check, text: str) -> Match | None:
    return _search(check.success_pattern, text)


def find_failure(check: Check, text: str) -> Match | None:
    """A match that stands for none ("0 failed"), or for the success, is no failure."""
    return _search(check.failure_pattern, text, excused_by=check.success_pattern)


def _search(pattern: str, text: str, excused_by: str = "") -> Match | None:
    deadline = time.monotonic() + SECONDS
    try:
        for line in text.split("\n"):
            spans = _spans(pattern, line, deadline)
            if span := next(_unexcused(spans, line, excused_by, deadline=deadline), None):
                return Match(line[slice(*span)])
    except TimeoutError:
        return Match(timed_out=True)
    return None


Span: TypeAlias = tuple[int, int]


def _spans(pattern: str, line: str, deadline: float) -> Iterator[Span]:
    compiled = _compiled(pattern)
    for match in compiled.finditer(line, timeout=_left(deadline)):
        yield match.span()
        _left(deadline)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _unexcused(
    spans: Iterator[Span], line: str, excused_by: str, *, deadline: float
) -> Iterator[Span]:
    excuses: list[Span] | None = None
    for span in spans:
        if excuses is None:
            excuses = _excuses(line, excused_by, deadline)
        if not any(_inside(span, excuse) for excuse in excuses):
            yield span


def _excuses(line: str, excused_by: str, deadline: float) -> list[Span]:
    zeros = [match.span("noun") for zero in _COUNTS_OF_ZERO for match in zero.finditer(line)]
    return zeros + (list(_spans(excused_by, line, deadline)) if excused_by else [])


def _inside(span: Span, other: Span) -> bool:
    return other[0] <= span[0] and span[1] <= other[1]
