"""`shellcheck`: the findings below each quoted line (tty), or one per line (gcc)."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic, parse_severity
from untildone.core.late_patterns import compile_late

PROGRAMS = ("shellcheck",)

# In deploy.sh line 4:
#             ^---------^ SC2045 (error): Iterating over ls output is fragile. Use globs.
#                  ^-- SC2035 (info): Use ./*glob* or -- *glob* so names won't become options.
_TTY = compile_late(
    r"(?m)^(?:In (?P<path>\S.*) line (?P<line>\d{1,9}):"
    r"| *\^-*\^? (?P<code>SC\d+)(?: \((?P<severity>\w+)\))?: (?P<text>\S.*))$"
)
# deploy.sh:3:6: note: Double quote to prevent globbing and word splitting. [SC2086]
_GCC = compile_late(
    r"(?m)^(?P<path>[^\s:][^:\n]*):(?P<line>\d{1,9}):\d+: (?P<severity>error|warning|note): "
    r"(?P<text>\S.*) \[(?P<code>SC\d+)\]$"
)


def parse(output: str) -> Iterator[Diagnostic]:
    heading: re.Match[str] | None = None
    for match in _TTY.finditer(output):
        if match["path"]:
            heading = match
        elif heading:
            severity = parse_severity(match["severity"] or "warning")
            code, text = match["code"], match["text"]
            yield make_diagnostic(heading, code=code, severity=severity, text=text)
    yield from map(make_diagnostic, _GCC.finditer(output))
