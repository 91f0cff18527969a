"""`javac`, also inside Gradle: a line per error and warning."""

from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic, split_blocks
from untildone.core.late_patterns import compile_late

PROGRAMS = ("javac", "gradle", "gradlew")

# shop/Cart.java:10: error: cannot find symbol
# shop/Fine.java:6: warning: [rawtypes] found raw type: List
# :compileJava/tmp/shop/Cart.java:9: error: incompatible types: int cannot be converted to String
_FINDING = compile_late(
    # Older versions of Gradle print the name of the task without a line end.
    r"(?m)^(?::[\w:-]+?(?=/))?(?P<path>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*\.java):(?P<line>\d{1,9}): "
    r"(?P<severity>error|warning): (?:\[(?P<code>[\w-]+)\] )?(?P<text>\S.*)$"
)
#   symbol:   method nothing(List)
_SYMBOL = compile_late(r"(?m)^  symbol: +(?P<symbol>\S.*)$")


def parse(output: str) -> Iterator[Diagnostic]:
    for match, block in split_blocks(_FINDING, output):
        symbols = _SYMBOL.findall(block)[:1]
        yield make_diagnostic(match, text=": ".join((match["text"], *symbols)))
