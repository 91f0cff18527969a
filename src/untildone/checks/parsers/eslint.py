"""`eslint` with the stylish formatter: a path, its findings indented below it, a summary."""

from collections.abc import Iterator

from msgspec.structs import replace

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic
from untildone.core.late_patterns import compile_late

PROGRAMS = ("eslint",)

# /tmp/shop/eslint/src/cart.js
#   1:5   error    'unused' is assigned a value but never used        no-unused-vars
#   1:10  error  Parsing error: Unexpected token (
_PATH_OR_FINDING = compile_late(
    r"(?m)^(?:(?P<path>\S.*)|"
    r" +(?P<line>\d{1,9}):\d+ +(?P<severity>error|warning) +"
    r"(?P<text>\S.*))$"
)
_RULE = compile_late(r"[@\w][\w@/.-]*")


def parse(output: str) -> Iterator[Diagnostic]:
    path = ""
    for match in _PATH_OR_FINDING.finditer(output):
        if match["path"]:
            path = match["path"]
            continue
        text, rule = _split_rule(match["text"])
        yield replace(make_diagnostic(match, code=rule, text=text), path=path)


def _split_rule(rest: str) -> tuple[str, str]:
    text, _, rule = rest.rstrip().rpartition("  ")
    return (text.rstrip(), rule) if text and _RULE.fullmatch(rule) else (rest.rstrip(), "")
