"""`vitest`: a block per failing test, then the counts."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import blocks, total
from untildone.loop.model import Tests

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
_COUNT = re.compile(r"(\d{1,9}) ([a-z]+)")


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
    failing = dict.fromkeys(" > ".join(filter(None, (m["path"], m["test"]))) for m in failures)
    return Tests(
        passed=report.passed,
        failed=report.failed + len(suites),
        skipped=report.skipped,
        failing=tuple(failing),
    )


def _counts(summary: re.Match[str]) -> Tests:
    counts = {word: int(number) for number, word in _COUNT.findall(summary["counts"])}
    return Tests(
        passed=counts.get("passed", 0),
        failed=counts.get("failed", 0),
        skipped=counts.get("skipped", 0) + counts.get("todo", 0),
    )
