"""`shellcheck`: the findings below each quoted line (tty), or one per line (gcc)."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import parse_severity

PROGRAMS = ("shellcheck",)

# In deploy.sh line 4:
#             ^---------^ SC2045 (error): Iterating over ls output is fragile. Use globs.
#                  ^-- SC2035 (info): Use ./*glob* or -- *glob* so names won't become options.
_TTY = re.compile(
    r"^(?:In (?P<path>\S.*) line (?P<line>\d{1,9}):"
    r"| *\^-*\^? (?P<code>SC\d+)(?: \((?P<severity>\w+)\))?: (?P<text>\S.*))$",
    re.MULTILINE,
)
# deploy.sh:3:6: note: Double quote to prevent globbing and word splitting. [SC2086]
_GCC = re.compile(
    r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d{1,9}):\d+: (?P<severity>error|warning|note): "
    r"(?P<text>\S.*) \[(?P<code>SC\d+)\]$",
    re.MULTILINE,
)


def parse(output: str) -> Iterator[Diagnostic]:
    heading: re.Match[str] | None = None
    for match in _TTY.finditer(output):
        if match["path"]:
            heading = match
        elif heading:
            yield _make_diagnostic(match, heading)
    for match in _GCC.finditer(output):
        yield _make_diagnostic(match, match)


def _make_diagnostic(match: re.Match[str], heading: re.Match[str]) -> Diagnostic:
    return Diagnostic(
        path=heading["path"],
        line=int(heading["line"]),
        code=match["code"],
        severity=parse_severity(match["severity"] or "warning"),
        text=match["text"],
    )
