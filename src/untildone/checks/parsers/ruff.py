"""`ruff check`: one finding per block (full) or per line (concise), then a summary."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.loop.model import Severity

PROGRAMS = ("ruff",)

_CODE = r"(?P<code>[A-Z]{1,6}\d{1,5}|[a-z]+(?:-[a-z]+)+:|unformatted:)"
# cart.py:1:8: F401 [*] `os` imported but unused
# broken.py:1:12: invalid-syntax: Expected a parameter or the end of the parameter list
_CONCISE = re.compile(
    rf"^(?P<path>[^\s:][^:\n]*\.\w+):(?P<line>\d{{1,9}}):\d+: {_CODE} (?:\[\*\] )?(?P<text>.+)$",
    re.MULTILINE,
)
# F401 [*] `os` imported but unused
#  --> cart.py:1:8
_FULL = re.compile(
    rf"^{_CODE} (?:\[\*\] )?(?P<text>.+)\n +--> (?P<path>.+?):(?P<line>\d{{1,9}}):\d+$",
    re.MULTILINE,
)
# Would reformat: cart.py
_FORMAT = re.compile(r"^Would reformat: (?P<path>.+)$", re.MULTILINE)


def parse(output: str) -> Iterator[Diagnostic]:
    for pattern in (_CONCISE, _FULL):
        for match in pattern.finditer(output):
            code = match["code"].removesuffix(":")
            yield Diagnostic(
                path=match["path"],
                line=int(match["line"]),
                code=code,
                severity=severity(code),
                text=match["text"],
            )
    for match in _FORMAT.finditer(output):
        yield Diagnostic(
            path=match["path"], code="unformatted", severity="warning", text="would be reformatted"
        )


def severity(code: str) -> Severity:
    error = code == "invalid-syntax" or re.match(r"[EF]\d", code)
    return "error" if error else "warning"


def tests(output: str) -> None:  # noqa: ARG001 - a linter's output says nothing about tests
    return None
