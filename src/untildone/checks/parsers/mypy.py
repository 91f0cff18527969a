"""`mypy`: one finding per line; with `--pretty` its text may continue on the next lines."""

from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic
from untildone.core.late_patterns import compile_late

PROGRAMS = ("mypy", "dmypy")

# cart.py:6: error: Incompatible return value type (got "int", expected "str")  [return-value]
# cart.py:6:12:6:22: error: Incompatible return value type (got "int", expected
_FINDING = compile_late(
    r"(?m)^(?P<path>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*\.(?:pyi?|ipynb)):(?P<line>\d{1,9})"
    r"(?::\d+){0,3}: error: (?P<text>\S.*)$"
)
# "str")  [return-value]
_WRAPPED = compile_late(r"(?m)(?:\n(?!\s\s|[^\s:]+:\d).+){1,4}?(?<=[\w-]\])$")
_CODE = compile_late(r"(?<!\s)\s+\[(?P<code>[a-z][\w-]*)\]\s*$")


def parse(output: str) -> Iterator[Diagnostic]:
    for match in _FINDING.finditer(output):
        text = match["text"]
        if not _CODE.search(text) and (rest := _WRAPPED.match(output, match.end())):
            text = " ".join((text + rest[0]).split())
        code = _CODE.search(text)
        rule = code["code"] if code else ""
        yield make_diagnostic(match, code=rule, text=text[: code.start()] if code else text)
