"""`tsc`: `path(line,column): error TS…`, or `path:line:column - error TS…` when pretty."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic

PROGRAMS = ("tsc", "vue-tsc", "tsgo")

# cart.ts(2,3): error TS2322: Type 'number' is not assignable to type 'string'.
# cart.ts:2:3 - error TS2322: Type 'number' is not assignable to type 'string'.
# error TS5023: Unknown compiler option '--nonsense'.
_FINDING = re.compile(
    r"^(?:(?P<path>[^\s(:](?:[^(:\n]|:(?!\d)|\((?!\d))*)"
    r"[(:](?P<line>\d{1,9})(?:,\d+\):|:\d+ -) )?"
    r"(?P<severity>error|warning) (?P<code>TS\d+): (?P<text>.+)$",
    re.MULTILINE,
)


def parse(output: str) -> Iterator[Diagnostic]:
    return map(make_diagnostic, _FINDING.finditer(output))
