"""`gradle`: failing tests, their counts, a broken build file; `javac` reads its own lines."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import named, total
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
        yield Diagnostic(
            path=match["path"] or "",
            line=int(match["line"] or 0),
            code=match["test"],
            text=match["text"] or "failed",
        )
    for match in _BUILD.finditer(output):
        yield Diagnostic(
            path=match["path"],
            line=int(match["line"]),
            code="build",
            text=match["why"] or match["what"],
        )


def tests(output: str) -> Tests | None:
    """Counts are printed only of tests that failed; without sources there were none to run."""
    report = total(map(_counts, _SUMMARY.finditer(output)))
    if report is None:
        states = [match["state"].strip() for match in _TASK.finditer(output)]
        return Tests() if states and set(states) == {"NO-SOURCE"} else None
    return named(report, (match["test"] for match in _FAILURE.finditer(output)))


def _counts(summary: re.Match[str]) -> Tests:
    failed, skipped = int(summary["failed"]), int(summary["skipped"] or 0)
    return Tests(
        passed=max(int(summary["run"]) - failed - skipped, 0), failed=failed, skipped=skipped
    )
