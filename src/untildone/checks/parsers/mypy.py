"""`mypy`: one finding per line; with `--pretty` its text may go on in the next lines."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic

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
        yield Diagnostic(
            path=match["path"],
            line=int(match["line"]),
            code=code["code"] if code else "",
            text=text[: code.start()] if code else text,
        )


def tests(output: str) -> None:  # noqa: ARG001 - a type checker's output says nothing about tests
    return None
