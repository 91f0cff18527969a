"""`ruff check`: one finding per block (full) or line (concise) and a summary, or a JSON list."""

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec
from msgspec import Struct

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import find_documents, limit_line, make_diagnostic, shorten_to_line
from untildone.core.check_results import Severity
from untildone.core.late_patterns import compile_late

PROGRAMS = ("ruff",)

_CODE = r"(?P<code>[A-Z]{1,6}\d{1,5}|[a-z]+(?:-[a-z]+)+:|unformatted:)"
# cart.py:1:8: F401 [*] `os` imported but unused
# broken.py:1:12: invalid-syntax: Expected a parameter or the end of the parameter list
_CONCISE = compile_late(
    rf"(?m)^(?P<path>[^\s:][^:\n]*\.\w+):(?P<line>\d{{1,9}}):\d+: {_CODE} (?:\[\*\] )?(?P<text>.+)$"
)
# F401 [*] `os` imported but unused
#  --> cart.py:1:8
_FULL = compile_late(
    rf"(?m)^{_CODE} (?:\[\*\] )?(?P<text>.+)\n +--> (?P<path>.+?):(?P<line>\d{{1,9}}):\d+$"
)
# Would reformat: cart.py
_FORMAT = compile_late(r"(?m)^Would reformat: (?P<path>.+)$")


# The same files and rules occur many times.
_shorten = lru_cache(maxsize=10_000)(shorten_to_line)


class _Location(Struct, gc=False):
    row: int = 0


class _Entry(Struct, gc=False):
    message: str
    filename: str
    code: str | None = None
    location: _Location | None = None


def parse(output: str) -> Iterator[Diagnostic]:
    entries = _read_entries(output)
    yield from map(_convert_entry, entries)
    if not entries:
        yield from _parse_lines(output)


def _parse_lines(output: str) -> Iterator[Diagnostic]:
    for pattern in (_CONCISE, _FULL):
        for match in pattern.finditer(output):
            code = match["code"].removesuffix(":")
            yield make_diagnostic(match, code=code, severity=rate_severity(code))
    for match in _FORMAT.finditer(output):
        yield make_diagnostic(
            match, code="unformatted", severity="warning", text="would be reformatted"
        )


def _convert_entry(entry: _Entry) -> Diagnostic:
    code = _shorten(entry.code or "invalid-syntax")
    return Diagnostic(
        path=_shorten(entry.filename),
        line=limit_line(entry.location.row) if entry.location else 0,
        code=code,
        severity=rate_severity(code),
        text=shorten_to_line(entry.message) or "reported",
    )


def _read_entries(output: str) -> list[_Entry]:
    if '"filename"' not in output:
        return []
    for document in find_documents(output, "[]"):
        try:
            return msgspec.json.decode(document, type=list[_Entry])
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            continue
    return []


@lru_cache
def rate_severity(code: str) -> Severity:
    error = code == "invalid-syntax" or re.match(r"[EF]\d", code)
    return "error" if error else "warning"
