"""The user's patterns of a check, searched line by line within a time limit."""

import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import parse_severity
from untildone.core.contract import Check
from untildone.core.late_patterns import compile_late
from untildone.errors import UserError

if TYPE_CHECKING:
    from regex import Pattern  # type: ignore[import-untyped]  # it ships no types

SECONDS = 2.0
# Groups that the `pattern` of a check may have.
GROUPS = ("path", "line", "code", "severity", "text")

# 0 failed, no errors, 0 lint errors, no warnings or errors
_ZERO_BEFORE = compile_late(
    r"(?i)(?<![\w.,:-])(?:0|no|zero|without) (?P<noun>(?:any )?"
    r"(?:(?:lint|type|test|tests|build|compile|compilation|syntax|unit|fatal|new|other|more) )?"
    r"(?:\w{1,40} (?:or|and) )?[\w-]{1,40})"
)
# Failures: 0, Errors: 0
_ZERO_AFTER = compile_late(
    r"(?<![\w-])(?P<noun>[\w-]{1,40})\s{0,8}[:=]\s{0,8}0(?=\s{0,8}(?:$|[,;|)\]]|\s\w{1,40}\s{0,8}[:=]))"
)
_COUNTS_OF_ZERO = (_ZERO_BEFORE, _ZERO_AFTER)


class Match(Struct, frozen=True):
    """The text that a pattern matched, or that the search timed out."""

    text: str = ""
    timed_out: bool = False


def _compile(pattern: str) -> "Pattern":
    # Imported here because few checks have a pattern and the import is slow.
    import regex

    return regex.compile(pattern, regex.IGNORECASE)


def validate_patterns(check: Check) -> None:
    """Raise an error if a pattern of the check is not a regular expression."""
    for kind, pattern in (("success", check.success_pattern), ("failure", check.failure_pattern)):
        if error := _find_error(pattern):
            message, position = error
            raise UserError(
                f"the {kind} pattern `{pattern}` of check `{check.name}` is not a regular"
                f" expression: {message}",
                hint=f"fix it at character {position}: `--{kind}-pattern RE`",
            )


def explain_invalid(pattern: str) -> str:
    """Return why the pattern is not a regular expression; "" if it is one."""
    error = _find_error(pattern)
    return f"{error[0]} at character {error[1]}" if error else ""


def _find_error(pattern: str) -> tuple[str, int] | None:
    """Return the message and the position of the error, counted from 1; None if there is none."""
    from regex import error as invalid_pattern

    try:
        _compile(pattern)
    except invalid_pattern as error:
        return error.msg, (error.pos or 0) + 1
    return None


def list_groups(pattern: str) -> tuple[str, ...]:
    return tuple(_compile(pattern).groupindex)


def find_diagnostics(check: Check, text: str) -> tuple[tuple[Diagnostic, ...], bool]:
    """Return the lines that the check's `pattern` matches, and whether the search timed out."""
    deadline = time.monotonic() + SECONDS
    compiled = _compile(check.pattern)
    found: list[Diagnostic] = []
    try:
        for line in text.split("\n"):
            match = compiled.search(line, timeout=_get_seconds_left(deadline))
            if match:
                found.append(_make_diagnostic(match.groupdict(default="")))
    except TimeoutError:
        return tuple(found), True
    return tuple(found), False


def _make_diagnostic(groups: dict[str, str]) -> Diagnostic:
    line = groups.get("line", "")
    return Diagnostic(
        path=groups.get("path", "").strip(),
        line=int(line) if re.fullmatch(r"[0-9]{1,9}", line) else 0,
        code=groups.get("code", ""),
        severity=parse_severity(groups.get("severity", "")),
        text=groups.get("text", "").strip(),
    )


def search_success(check: Check, text: str) -> Match | None:
    return _search(check.success_pattern, text)


def search_failure(check: Check, text: str) -> Match | None:
    """Return the first match that is no count of zero ("0 failed") and in no success match."""
    return _search(check.failure_pattern, text, excused_by=check.success_pattern)


def _search(pattern: str, text: str, excused_by: str = "") -> Match | None:
    deadline = time.monotonic() + SECONDS
    try:
        for line in text.split("\n"):
            spans = _find_spans(pattern, line, deadline)
            if span := next(_skip_excused(spans, line, excused_by, deadline=deadline), None):
                return Match(line[slice(*span)])
    except TimeoutError:
        return Match(timed_out=True)
    return None


Span: TypeAlias = tuple[int, int]


def _find_spans(pattern: str, line: str, deadline: float) -> Iterator[Span]:
    compiled = _compile(pattern)
    for match in compiled.finditer(line, timeout=_get_seconds_left(deadline)):
        yield match.span()
        _get_seconds_left(deadline)


def _get_seconds_left(deadline: float) -> float:
    """Return the seconds until the deadline; raise TimeoutError if there are none."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def _skip_excused(
    spans: Iterator[Span], line: str, excused_by: str, *, deadline: float
) -> Iterator[Span]:
    excuses: list[Span] | None = None
    for span in spans:
        if excuses is None:
            excuses = _find_excuses(line, excused_by, deadline)
        if not any(start <= span[0] and span[1] <= end for start, end in excuses):
            yield span


def _find_excuses(line: str, excused_by: str, deadline: float) -> list[Span]:
    zeros = [match.span("noun") for zero in _COUNTS_OF_ZERO for match in zero.finditer(line)]
    return zeros + (list(_find_spans(excused_by, line, deadline)) if excused_by else [])
