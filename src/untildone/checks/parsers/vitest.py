"""`vitest`: a block per failing test, then the counts."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import blocks, counts, named, total
from untildone.core.check_results import Tests

PROGRAMS = ("vitest",)

#  FAIL  cart.test.js > cart > adds prices
#  FAIL  broken.test.js [ broken.test.js ]
_FAILURE = re.compile(
    r"^ FAIL  (?:\|[^|\n]+\| )?(?P<path>\S+)(?: > (?P<test>.+)| \[ .+ \])?$", re.MULTILINE
)
# cart.test.js:6:27, after an arrow
_PLACE = re.compile(r"^ \u276f (?:.* )?(?P<path>\S+?):(?P<line>\d{1,9}):\d+$", re.MULTILINE)
_MESSAGE = re.compile(r"^(?! FAIL )(?P<text>\S.*)$", re.MULTILINE)
#       Tests  1 failed | 1 passed | 1 skipped | 1 todo (4)
_SUMMARY = re.compile(
    r"^ +Tests  (?P<counts>\d+ [a-z ]+(?: \| \d+ [a-z ]+)*|no tests)(?: \(\d+\))?$", re.MULTILINE
)
# No test files found, exiting with code 1
_NONE = re.compile(r"^No test files found, exiting with code \d", re.MULTILINE)
#  ✓ cart.test.js > cart > adds prices 1ms, with the reporter `verbose`
_VERBOSE = re.compile(
    r"^ (?P<sign>[\u2713\u2193\u25a1]) (?P<test>\S+ > .+?)(?: \d+ms)?$", re.MULTILINE
)
_PASSED = "\u2713"


def parse(output: str) -> Iterator[Diagnostic]:
    for match, end in blocks(list(_FAILURE.finditer(output)), len(output)):
        block = output[match.end() : end]
        message = _MESSAGE.search(block)
        lines = (
            place["line"] for place in _PLACE.finditer(block) if place["path"] == match["path"]
        )
        yield Diagnostic(
            path=match["path"],
            line=int(next(lines, 0)),
            code=match["test"] or "",
            text=message["text"] if message else "failed",
        )


def tests(output: str) -> Tests | None:
    report = total(map(_counts, _SUMMARY.finditer(output)))
    if report is None:
        return Tests() if _NONE.search(output) else None
    failures = list(_FAILURE.finditer(output))
    suites = dict.fromkeys(match["path"] for match in failures if not match["test"])
    told = list(_VERBOSE.finditer(output))
    return named(
        replace(report, failed=report.failed + len(suites)),
        (" > ".join(filter(None, (match["path"], match["test"]))) for match in failures),
        passing=[match["test"] for match in told if match["sign"] == _PASSED],
        skipping=[match["test"] for match in told if match["sign"] != _PASSED],
    )


def _counts(summary: re.Match[str]) -> Tests:
    told = counts(summary["counts"])
    return Tests(
        passed=told.get("passed", 0),
        failed=told.get("failed", 0),
        skipped=told.get("skipped", 0) + told.get("todo", 0),
    )
