"""How long a check may take, by what is known of its runs."""

import msgspec
import pytest

from untildone.core.check_results import CheckOutcome, CheckResult
from untildone.core.contract import Check
from untildone.core.time_limits import (
    TimeRules,
    describe_time_limit,
    estimate_seconds,
    explain_time_out,
    find_time_limit,
    is_slow,
)


def run(outcome: CheckOutcome, seconds: float) -> CheckResult:
    return CheckResult(name="test", command="pytest", outcome=outcome, seconds=seconds)


@pytest.mark.parametrize(
    ("timeout", "past", "expected"),
    [
        pytest.param(None, [], 600, id="never run"),
        pytest.param(None, [run("green", 100)], 600, id="a quick run"),
        pytest.param(None, [run("green", 400)], 1_200, id="three times as long as a slow run"),
        pytest.param(None, [run("red", 400)], 1_200, id="a red run takes its time too"),
        pytest.param(
            None, [run("green", 1_000), run("red", 2)], 3_000, id="the longest, not the last"
        ),
        pytest.param(None, [run("timed-out", 600)], 1_200, id="out of time at its first run"),
        pytest.param(
            None, [run("timed-out", 600), run("timed-out", 1_200)], 2_400, id="out of time twice"
        ),
        pytest.param(
            None,
            [run("red", 2), run("timed-out", 600)],
            1_200,
            id="a broken build, then a slow suite",
        ),
        pytest.param(
            None, [run("timed-out", 600), run("green", 700)], 2_100, id="known since it ended"
        ),
        pytest.param(
            None, [run("green", 30), run("timed-out", 600)], 600, id="quick, then it hangs"
        ),
        pytest.param(
            None, [run("green", 400), run("timed-out", 1_200)], 1_200, id="slow, then it hangs"
        ),
        pytest.param(None, [run("unrunnable", 2_000)], 600, id="not run at all"),
        pytest.param(None, [run("green", 2_000)], 3_500, id="no longer than a stop may take"),
        pytest.param(30, [run("green", 400)], 30, id="the user's word, shorter"),
        pytest.param(7_200, [run("green", 4)], 7_200, id="the user's word, longer"),
        pytest.param(30, [run("timed-out", 30)], 30, id="the user's word, out of time"),
    ],
)
def test_the_time_limit_follows_the_past_runs(
    timeout: float | None, past: list[CheckResult], expected: float
) -> None:
    assert find_time_limit(timeout, past) == expected


def test_other_rules_give_other_limits() -> None:
    rules = TimeRules(first=10, factor=2, longest=30)

    limits = [find_time_limit(None, [run("green", seconds)], rules) for seconds in (1, 9, 99)]

    assert limits == [10, 18, 30]


@pytest.mark.parametrize(
    ("next_limit", "expected"),
    [
        (1_200, "did not end within 600 seconds; next time it may take 1200; set `timeout`"),
        (600, "did not end within 600 seconds; set `timeout`"),
    ],
)
def test_a_time_out_says_what_comes_next_and_the_remedy(next_limit: float, expected: str) -> None:
    assert explain_time_out(600, next_limit) == (
        f"{expected} in `untildone.toml` if it needs longer"
    )


def test_only_an_unusual_limit_is_described() -> None:
    assert [describe_time_limit(limit) for limit in (600, 1_200)] == ["", "may take 1200 seconds"]


@pytest.mark.parametrize(
    ("past", "expected"),
    [
        pytest.param([], None, id="never run"),
        pytest.param([run("timed-out", 600), run("unrunnable", 1)], None, id="never ended"),
        pytest.param([run("green", 90), run("green", 80), run("red", 2)], 80, id="the last green"),
        pytest.param([run("red", 90), run("red", 2)], 90, id="never green: the longest"),
    ],
)
def test_the_next_run_is_estimated(past: list[CheckResult], expected: float | None) -> None:
    assert estimate_seconds(past) == expected


@pytest.mark.parametrize(
    ("past", "expected"),
    [
        pytest.param([], False, id="never run"),
        pytest.param([run("green", 9.9)], False, id="quick"),
        pytest.param([run("green", 10), run("red", 1)], True, id="slow before"),
        pytest.param([run("timed-out", 600)], False, id="nobody knows"),
    ],
)
def test_a_slow_check_is_known_by_its_longest_run(
    past: list[CheckResult], *, expected: bool
) -> None:
    assert is_slow(past) is expected


def test_the_limit_in_a_contract_of_an_earlier_version_stays_agreed() -> None:
    """Such a contract names 600 seconds, whether the user did or not."""
    check = msgspec.json.decode(b'{"name": "t", "command": "c", "timeout": 600.0}', type=Check)

    assert (find_time_limit(check.timeout, [run("green", 400)]), check.confirm) == (600, "full")
