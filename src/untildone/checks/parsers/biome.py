"""`biome` check, ci, lint and format: a ruled heading per finding, its message below."""

from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic
from untildone.core.check_results import Severity
from untildone.core.late_patterns import compile_late

PROGRAMS = ("biome",)

# src/cart.js:1:1 lint/style/useConst  FIXABLE  ━━━━━━━━━━━━━━━━━━━━
#
#   ! This let declares a variable that is only assigned once.
# src/cart.js format ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
_FINDING = compile_late(
    r"(?m)^(?P<path>[^\s:](?:[^:\n]|:(?!\d))*?)(?::(?P<line>\d{1,9}):\d+)? (?P<code>[a-z][\w/-]*)"
    r"(?:  [A-Z]+)* +\u2501{3,}\n+ +(?P<sign>\S) (?P<text>\S.*)$"
)
_SEVERITY: dict[str, Severity] = {"!": "warning", "\u26a0": "warning", "i": "info"}


def parse(output: str) -> Iterator[Diagnostic]:
    for match in _FINDING.finditer(output):
        severity = _SEVERITY.get(match["sign"], "error")
        yield make_diagnostic(match, severity=severity, text=match["text"].rstrip(" :"))
