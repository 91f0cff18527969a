"""`ty check`: one finding per block (full) or per line (concise), then a count."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.core.check_results import Severity

PROGRAMS = ("ty",)

_RULE = r"(?P<severity>error|warning|info)\[(?P<code>[a-z][a-z0-9-]*)\]"
# error[invalid-return-type]: Return type does not match returned value
#  --> cart.py:6:12
_FULL = re.compile(
    rf"^{_RULE}: (?P<text>.+)\n +--> (?P<path>.+?):(?P<line>\d{{1,9}}):\d+$", re.MULTILINE
)
# cart.py:6:12: error[invalid-return-type] Return type does not match returned value
_CONCISE = re.compile(
    r"^(?P<path>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*):(?P<line>\d{1,9}):\d+: "
    + _RULE
    + r" (?P<text>.+)$",
    re.MULTILINE,
)
_SEVERITY: dict[str, Severity] = {"error": "error", "warning": "warning", "info": "info"}


def parse(output: str) -> Iterator[Diagnostic]:
    for pattern in (_FULL, _CONCISE):
        for match in pattern.finditer(output):
            yield Diagnostic(
                path=match["path"],
                line=int(match["line"]),
                code=match["code"],
                severity=_SEVERITY[match["severity"]],
                text=match["text"],
            )


def tests(output: str) -> None:  # noqa: ARG001 - a type checker's output says nothing about tests
    return None
