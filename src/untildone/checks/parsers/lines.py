"""The last resort: any line that names a file, a line and a message."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic

PROGRAMS = ()

# src/cart.c:12:5: warning: unused variable
# cart.py:7: error: Incompatible return value type
_LINE = re.compile(
    r"^(?P<path>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*\.\w{1,10}):(?P<line>\d{1,9}):(?:\d+:)? "
    r"(?:(?P<severity>error|warning|note|info)(?:\[(?P<code>[\w-]+)\])?: )?(?P<text>\S.*)$",
    re.MULTILINE | re.IGNORECASE,
)


def parse(output: str) -> Iterator[Diagnostic]:
    for match in _LINE.finditer(output):
        severity = (match["severity"] or "error").lower()
        yield Diagnostic(
            path=match["path"],
            line=int(match["line"]),
            code=match["code"] or "",
            severity="error"
            if severity == "error"
            else "warning"
            if severity == "warning"
            else "info",
            text=match["text"],
        )


def tests(output: str) -> None:  # noqa: ARG001 - lines of no known tool say nothing about tests
    return None
