"""`gradle`: failing tests, their counts, a broken build file; `javac` reads its own lines."""

from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import add_names, make_diagnostic, sum_counts
from untildone.core.check_results import Tests
from untildone.core.late_patterns import compile_late

PROGRAMS = ("gradle", "gradlew")

# shop.CartTest > addsPrices FAILED
#     java.lang.AssertionError at CartTest.java:11
_FAILURE = compile_late(
    r"(?m)^(?P<test>[\w.$]+ > \S.*) FAILED$"
    r"(?:\n {4}(?P<text>\S.*?)(?: at (?P<path>[\w$]+\.\w+):(?P<line>\d{1,9}))?$)?"
)
# Build file '/tmp/shop/build.gradle' line: 3
#
# * What went wrong:
# A problem occurred evaluating root project 'shop'.
# > Could not find method nothingLikeThis() for arguments [] on root project 'shop'
_BUILD = compile_late(
    r"(?m)^(?:Build|Settings) file '(?P<path>[^'\n]+)' line: (?P<line>\d{1,9})\n+"
    r"\* What went wrong:\n(?P<what>.+)(?:\n> (?P<why>.+))?$"
)
# 4 tests completed, 2 failed, 1 skipped
_SUMMARY = compile_late(
    r"(?m)^(?P<run>\d{1,9}) tests? completed, (?P<failed>\d{1,9}) failed"
    r"(?:, (?P<skipped>\d{1,9}) skipped)?$"
)
# > Task :cart:test NO-SOURCE
# :testWARNING: A terminally deprecated method in java.lang.System has been called
_TASK = compile_late(r"(?m)^(?:> Task )?:(?:[\w-]+:)*test(?P<state> [A-Z-]+|WARNING:.*|)$")


def parse(output: str) -> Iterator[Diagnostic]:
    for match in _FAILURE.finditer(output):
        yield make_diagnostic(match, code=match["test"])
    for match in _BUILD.finditer(output):
        yield make_diagnostic(match, code="build", text=match["why"] or match["what"])


def parse_tests(output: str) -> Tests | None:
    """Return the tests; None if unknown, since Gradle counts them only if one failed."""
    report = sum_counts(_SUMMARY, output)
    if report is None:
        states = [match["state"].strip() for match in _TASK.finditer(output)]
        return Tests() if states and set(states) == {"NO-SOURCE"} else None
    return add_names(report, (match["test"] for match in _FAILURE.finditer(output)))
