"""`prettier --check`: a line per file that is not formatted, and per file it could not read."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic

PROGRAMS = ("prettier",)

# Other programs print `[warn]` too: only after this line a file name follows it.
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
    yield from map(make_diagnostic, _ERROR.finditer(output))
    for match in _UNFORMATTED.finditer(output):
        yield Diagnostic(
            path=match["path"], code="unformatted", severity="warning", text="is not formatted"
        )
