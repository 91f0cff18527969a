"""`prettier --check`: a line per file that is not formatted, and per file it could not read."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic

PROGRAMS = ("prettier",)

# Anybody prints `[warn]`: only after this line is it a file's name.
_HEADING = re.compile(r"^Checking formatting\.\.\.$", re.MULTILINE)
# [warn] src/cart.js
_UNFORMATTED = re.compile(r"^\[warn\] (?P<path>\S.*\.\w+)$", re.MULTILINE)
# [error] src/broken.js: SyntaxError: Unexpected token (1:10)
# [error] No files matching the pattern were found: "nothing".
_ERROR = re.compile(
    r"^\[error\] (?:(?P<path>\S[^:\n]*\.\w+): )?(?P<text>[A-Z].*?)(?: \((?P<line>\d{1,9}):\d+\))?$",
    re.MULTILINE,
)


def parse(output: str) -> Iterator[Diagnostic]:
    if not _HEADING.search(output):
        return
    for match in _ERROR.finditer(output):
        yield Diagnostic(path=match["path"] or "", line=int(match["line"] or 0), text=match["text"])
    for match in _UNFORMATTED.finditer(output):
        yield Diagnostic(
            path=match["path"], code="unformatted", severity="warning", text="is not formatted"
        )


def tests(output: str) -> None:  # noqa: ARG001 - a formatter's output says nothing about tests
    return None
