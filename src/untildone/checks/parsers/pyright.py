"""`pyright` and `basedpyright`: a path, and below it a line per finding, its rule at the end."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.core.check_results import Severity

PROGRAMS = ("pyright", "basedpyright")

#   /tmp/shop/cart.py:6:12 - error: Type "int" is not assignable to return type "str"
#     "int" is not assignable to "str" (reportReturnType)
_FINDING = re.compile(
    r"^ *(?P<path>\S.*?):(?P<line>\d{1,9}):\d+ - (?P<severity>error|warning|information): "
    r"(?P<text>\S.*)(?P<more>(?:\n[ \u00a0]{4,}\S.*)*)$",
    re.MULTILINE,
)
_RULE = re.compile(r" \((?P<rule>report\w+)\)$")
_SEVERITY: dict[str, Severity] = {"error": "error", "warning": "warning", "information": "info"}


def parse(output: str) -> Iterator[Diagnostic]:
    for match in _FINDING.finditer(output):
        rule = _RULE.search(match["text"] + match["more"])
        yield Diagnostic(
            path=match["path"],
            line=int(match["line"]),
            code=rule["rule"] if rule else "",
            severity=_SEVERITY[match["severity"]],
            text=_RULE.sub("", match["text"]),
        )


def tests(output: str) -> None:  # noqa: ARG001 - a type checker's output says nothing about tests
    return None
