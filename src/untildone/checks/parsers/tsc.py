"""`tsc`: `path(line,column): error TS…`, or `path:line:column - error TS…` when pretty."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.core.check_results import Severity

PROGRAMS = ("tsc", "vue-tsc", "tsgo")

# cart.ts(2,3): error TS2322: Type 'number' is not assignable to type 'string'.
# cart.ts:2:3 - error TS2322: Type 'number' is not assignable to type 'string'.
# error TS5023: Unknown compiler option '--nonsense'.
_FINDING = re.compile(
    r"^(?:(?P<path>[^\s(:](?:[^(:\n]|:(?!\d)|\((?!\d))*)"
    r"(?:\((?P<line>\d{1,9}),\d+\):|:(?P<pretty>\d{1,9}):\d+ -) )?"
    r"(?P<severity>error|warning) (?P<code>TS\d+): (?P<text>.+)$",
    re.MULTILINE,
)
_SEVERITY: dict[str, Severity] = {"error": "error", "warning": "warning"}


def parse(output: str) -> Iterator[Diagnostic]:
    for match in _FINDING.finditer(output):
        yield Diagnostic(
            path=match["path"] or "",
            line=int(match["line"] or match["pretty"] or 0),
            code=match["code"],
            severity=_SEVERITY[match["severity"]],
            text=match["text"],
        )


def tests(output: str) -> None:  # noqa: ARG001 - a compiler's output says nothing about tests
    return None
