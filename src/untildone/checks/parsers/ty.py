"""`ty check`: one finding per block (full) or per line (concise), then a count."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic

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


def parse(output: str) -> Iterator[Diagnostic]:
    for pattern in (_FULL, _CONCISE):
        yield from map(make_diagnostic, pattern.finditer(output))
