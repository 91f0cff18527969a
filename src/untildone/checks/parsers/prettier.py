"""`prettier --check`: a line per file that is not formatted, and per file it could not read."""

from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic
from untildone.core.late_patterns import compile_late

PROGRAMS = ("prettier",)

# Other programs print `[warn]` too: only after this line a file name follows it.
_HEADING = compile_late(r"(?m)^Checking formatting\.\.\.$")
# [warn] src/cart.js
_UNFORMATTED = compile_late(r"(?m)^\[warn\] (?P<path>\S.*\.\w+)$")
# [error] src/broken.js: SyntaxError: Unexpected token (1:10)
# [error] No files matching the pattern were found: "nothing".
_ERROR = compile_late(
    r"(?m)^\[error\] (?:(?P<path>\S[^:\n]*\.\w+): )?(?P<text>[A-Z].*?)"
    r"(?: \((?P<line>\d{1,9}):\d+\))?$"
)


def parse(output: str) -> Iterator[Diagnostic]:
    if not _HEADING.search(output):
        return
    yield from map(make_diagnostic, _ERROR.finditer(output))
    for match in _UNFORMATTED.finditer(output):
        yield make_diagnostic(
            match, code="unformatted", severity="warning", text="is not formatted"
        )
