"""`vitest`: a block per failing test, then the counts."""

from collections.abc import Iterator

from msgspec.structs import replace

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import add_names, make_diagnostic, split_blocks, sum_counts
from untildone.core.check_results import Tests
from untildone.core.late_patterns import compile_late

PROGRAMS = ("vitest",)

#  FAIL  cart.test.js > cart > adds prices
#  FAIL  broken.test.js [ broken.test.js ]
_FAILURE = compile_late(
    r"(?m)^ FAIL  (?:\|[^|\n]+\| )?(?P<path>\S+)(?: > (?P<test>.+)| \[ .+ \])?$"
)
# cart.test.js:6:27, after an arrow
_FRAME = compile_late(r"(?m)^ \u276f (?:.* )?(?P<path>\S+?):(?P<line>\d{1,9}):\d+$")
_MESSAGE = compile_late(r"(?m)^(?! FAIL )(?P<text>\S.*)$")
#       Tests  1 failed | 1 passed | 1 skipped | 1 todo (4)
_SUMMARY = compile_late(
    r"(?m)^ +Tests  (?P<counts>\d+ [a-z ]+(?: \| \d+ [a-z ]+)*|no tests)(?: \(\d+\))?$"
)
# No test files found, exiting with code 1
_NONE = compile_late(r"(?m)^No test files found, exiting with code \d")
#  ✓ cart.test.js > cart > adds prices 1ms, with the reporter `verbose`
_VERBOSE = compile_late(r"(?m)^ (?P<sign>[\u2713\u2193\u25a1]) (?P<test>\S+ > .+?)(?: \d+ms)?$")
_PASSED = "\u2713"


def parse(output: str) -> Iterator[Diagnostic]:
    for match, block in split_blocks(_FAILURE, output):
        message = _MESSAGE.search(block)
        frames = (frame for frame in _FRAME.finditer(block) if frame["path"] == match["path"])
        text = message["text"] if message else "failed"
        code = match["test"] or ""
        yield make_diagnostic(next(frames, match), code=code, text=text)


def parse_tests(output: str) -> Tests | None:
    report = sum_counts(_SUMMARY, output)
    if report is None:
        return Tests() if _NONE.search(output) else None
    failures = list(_FAILURE.finditer(output))
    broken = dict.fromkeys(match["path"] for match in failures if not match["test"])
    verbose = list(_VERBOSE.finditer(output))
    return add_names(
        replace(report, failed=report.failed + len(broken)),
        (" > ".join(filter(None, (match["path"], match["test"]))) for match in failures),
        passing=[match["test"] for match in verbose if match["sign"] == _PASSED],
        skipping=[match["test"] for match in verbose if match["sign"] != _PASSED],
    )
