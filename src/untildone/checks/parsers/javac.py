"""`javac`, also inside Gradle: a line per error and warning."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import blocks
from untildone.core.check_results import Severity

PROGRAMS = ("javac", "gradle", "gradlew")

# shop/Cart.java:10: error: cannot find symbol
# shop/Fine.java:6: warning: [rawtypes] found raw type: List
# :compileJava/tmp/shop/Cart.java:9: error: incompatible types: int cannot be converted to String
_FINDING = re.compile(
    # Older versions of Gradle print the task's name and no line end.
    r"^(?::[\w:-]+?(?=/))?(?P<path>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*\.java):(?P<line>\d{1,9}): "
    r"(?P<severity>error|warning): (?:\[(?P<code>[\w-]+)\] )?(?P<text>\S.*)$",
    re.MULTILINE,
)
#   symbol:   method nothing(List)
_SYMBOL = re.compile(r"^  symbol: +(?P<symbol>\S.*)$", re.MULTILINE)
_SEVERITY: dict[str, Severity] = {"error": "error", "warning": "warning"}


def parse(output: str) -> Iterator[Diagnostic]:
    for match, end in blocks(list(_FINDING.finditer(output)), len(output)):
        symbol = _SYMBOL.search(output, match.end(), end)
        yield Diagnostic(
            path=match["path"],
            line=int(match["line"]),
            code=match["code"] or "",
            severity=_SEVERITY[match["severity"]],
            text=f"{match['text']}: {symbol['symbol']}" if symbol else match["text"],
        )


def tests(output: str) -> None:  # noqa: ARG001 - a compiler's output says nothing about tests
    return None
