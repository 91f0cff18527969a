"""The last resort for unknown tools: any line that names a file, a line and a message."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic

PROGRAMS = ()

# src/cart.c:12:5: warning: unused variable
# cart.py:7: error: Incompatible return value type
_LINE = re.compile(
    r"^(?P<path>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*\.\w{1,10}):(?P<line>\d{1,9}):(?:\d+:)? "
    r"(?:(?P<severity>error|warning|note|info)(?:\[(?P<code>[\w-]+)\])?: )?(?P<text>\S.*)$",
    re.MULTILINE | re.IGNORECASE,
)


def parse(output: str) -> Iterator[Diagnostic]:
    return map(make_diagnostic, _LINE.finditer(output))
