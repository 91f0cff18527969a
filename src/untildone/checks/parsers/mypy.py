"""`mypy`: one finding per line; with `--pretty` its text may continue on the next lines."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic

PROGRAMS = ("mypy", "dmypy")

# cart.py:6: error: Incompatible return value type (got "int", expected "str")  [return-value]
# cart.py:6:12:6:22: error: Incompatible return value type (got "int", expected
_FINDING = re.compile(
    r"^(?P<path>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*\.(?:pyi?|ipynb)):(?P<line>\d{1,9})(?::\d+){0,3}: "
    r"error: (?P<text>\S.*)$",
    re.MULTILINE,
)
# "str")  [return-value]
_WRAPPED = re.compile(r"(?:\n(?!\s\s|[^\s:]+:\d).+){1,4}?(?<=[\w-]\])$", re.MULTILINE)
_CODE = re.compile(r"(?<!\s)\s+\[(?P<code>[a-z][\w-]*)\]\s*$")


def parse(output: str) -> Iterator[Diagnostic]:
    for match in _FINDING.finditer(output):
        text = match["text"]
        if not _CODE.search(text) and (rest := _WRAPPED.match(output, match.end())):
            text = " ".join((text + rest[0]).split())
        code = _CODE.search(text)
        if code:
            yield make_diagnostic(match, code=code["code"], text=text[: code.start()])
        else:
            yield make_diagnostic(match, text=text)
