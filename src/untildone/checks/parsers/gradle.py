"""`gradle`: failing tests, their counts, a broken build file; `javac` reads its own lines."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import add_names, make_diagnostic, subtract_counts, sum_tests
from untildone.core.check_results import Tests

PROGRAMS = ("gradle", "gradlew")

# shop.CartTest > addsPrices FAILED
#     java.lang.AssertionError at CartTest.java:11
_FAILURE = re.compile(
    r"^(?P<test>[\w.$]+ > \S.*) FAILED$"
    r"(?:\n {4}(?P<text>\S.*?)(?: at (?P<path>[\w$]+\.\w+):(?P<line>\d{1,9}))?$)?",
    re.MULTILINE,
)
# Build file '/tmp/shop/build.gradle' line: 3
#
# * What went wrong:
# A problem occurred evaluating root project 'shop'.
# > Could not find method nothingLikeThis() for arguments [] on root project 'shop'
_BUILD = re.compile(
    r"^(?:Build|Settings) file '(?P<path>[^'\n]+)' line: (?P<line>\d{1,9})\n+"
    r"\* What went wrong:\n(?P<what>.+)(?:\n> (?P<why>.+))?$",
    re.MULTILINE,
)
# 4 tests completed, 2 failed, 1 skipped
_SUMMARY = re.compile(
    r"^(?P<run>\d{1,9}) tests? completed, (?P<failed>\d{1,9}) failed"
    r"(?:, (?P<skipped>\d{1,9}) skipped)?$",
    re.MULTILINE,
)
# > Task :cart:test NO-SOURCE
# :testWARNING: A terminally deprecated method in java.lang.System has been called
_TASK = re.compile(r"^(?:> Task )?:(?:[\w-]+:)*test(?P<state> [A-Z-]+|WARNING:.*|)$", re.MULTILINE)


def parse(output: str) -> Iterator[Diagnostic]:
    for match in _FAILURE.finditer(output):
        yield make_diagnostic(match, code=match["test"], text=match["text"] or "failed")
    for match in _BUILD.finditer(output):
        yield make_diagnostic(match, code="build", text=match["why"] or match["what"])


def parse_tests(output: str) -> Tests | None:
    """Gradle prints counts only if a test failed; a task without sources runs no test."""
    report = sum_tests(map(_read_counts, _SUMMARY.finditer(output)))
    if report is None:
        states = [match["state"].strip() for match in _TASK.finditer(output)]
        return Tests() if states and set(states) == {"NO-SOURCE"} else None
    return add_names(report, (match["test"] for match in _FAILURE.finditer(output)))


def _read_counts(summary: re.Match[str]) -> Tests:
    return subtract_counts(
        int(summary["run"]), failed=int(summary["failed"]), skipped=int(summary["skipped"] or 0)
    )
