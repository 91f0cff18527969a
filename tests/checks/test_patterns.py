"""Success and failure patterns."""

import time

import pytest

from untildone.checks import patterns
from untildone.checks.patterns import Match, validate_patterns
from untildone.core.contract import Check
from untildone.errors import UserError


def check(*, success: str = "", failure: str = "") -> Check:
    return Check(name="t", command="x", success_pattern=success, failure_pattern=failure)


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("failed", "1 failed", Match("failed")),
        ("FAIL", "it failed", Match("fail")),
        ("failed|error", "3 passed\n10 errors", Match("error")),
        ("failed", "0 failed", None),
        ("failed", "10 failed", Match("failed")),
        ("failed", "2.0 failed", Match("failed")),
        ("fail", "3 passed, 0 failed, 1 failed", Match("fail")),
        ("error", "no errors", None),
        ("error", "found 0 lint errors", None),
        ("error", "no warnings or errors", None),
        ("error", "no such error", Match("error")),
        ("error", "no such file: error", Match("error")),
        ("error|failure", "Failures: 0, Errors: 0, Skipped: 0", None),
        ("error|failure", "Failures: 0, Errors: 2", Match("Error")),
        ("error", "errors=0 warnings=1", None),
        ("error", "error: 0 files matched", Match("error")),
        ("no tests", "no tests", Match("no tests")),
        ("a.b", "a\nb", None),
        ("^b$", "a\nb\nc", Match("b")),
    ],
)
def test_failure(pattern: str, text: str, expected: Match | None) -> None:
    assert patterns.search_failure(check(failure=pattern), text) == expected


def test_what_the_success_pattern_matched_is_no_failure() -> None:
    both = check(success="error-free build", failure="error")
    assert patterns.search_failure(both, "an error-free build") is None
    assert patterns.search_failure(both, "an error-free build, one error") == Match("error")


def test_success_is_found_on_one_line_ignoring_case() -> None:
    assert patterns.search_success(check(success="all ok"), "x\nAll OK\n") == Match("All OK")
    assert patterns.search_success(check(success="all.ok"), "all\nok") is None


def test_a_success_pattern_that_never_ends_is_given_up() -> None:
    started = time.monotonic()
    assert patterns.search_success(check(success="(a|aa)+$"), "a" * 60 + "!") == Match(
        timed_out=True
    )
    assert time.monotonic() - started < patterns.SECONDS + 30


@pytest.mark.parametrize("pattern", ["(a|aa)+$", "(a+)+$", "(.*)*x", "(a|b|ab)*c"])
def test_no_failure_pattern_takes_longer_than_the_limit(pattern: str) -> None:
    started = time.monotonic()
    found = patterns.search_failure(check(failure=pattern), ("a" * 60 + "!\n") * 100)
    assert found in (None, Match(timed_out=True))
    assert time.monotonic() - started < patterns.SECONDS + 30


def test_many_excused_matches_stay_within_the_limit() -> None:
    started = time.monotonic()
    both = check(success="failed", failure="failed")
    assert patterns.search_failure(both, "failed " * 30_000) in (None, Match(timed_out=True))
    assert time.monotonic() - started < patterns.SECONDS + 30


def test_an_invalid_pattern_is_reported_with_its_place() -> None:
    with pytest.raises(UserError) as raised:
        validate_patterns(check(failure="a(b"))
    assert raised.value.message == (
        "the failure pattern `a(b` of check `t` is not a regular expression: missing )"
    )
    assert raised.value.hint == "fix it at character 4: `--failure-pattern RE`"


def test_a_valid_check_passes() -> None:
    validate_patterns(check(success="ok", failure=r"fail(ed|ure)"))
