"""`pyright` and `basedpyright`: a path, and below it a line per finding, its rule at the end."""

from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic
from untildone.core.late_patterns import compile_late

PROGRAMS = ("pyright", "basedpyright")

#   /tmp/shop/cart.py:6:12 - error: Type "int" is not assignable to return type "str"
#     "int" is not assignable to "str" (reportReturnType)
_FINDING = compile_late(
    r"(?m)^ *(?P<path>\S.*?):(?P<line>\d{1,9}):\d+ - (?P<severity>error|warning|information): "
    r"(?P<text>\S.*)(?P<more>(?:\n[ \u00a0]{4,}\S.*)*)$"
)
_RULE = compile_late(r" \((?P<rule>report\w+)\)$")


def parse(output: str) -> Iterator[Diagnostic]:
    for match in _FINDING.finditer(output):
        rule = _RULE.search(match["text"] + match["more"])
        code = rule["rule"] if rule else ""
        yield make_diagnostic(match, code=code, text=_RULE.sub("", match["text"]))
