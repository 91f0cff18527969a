"""Failures of tests that no report names."""

import pytest

from untildone.core.check_results import CheckOutcome, CheckResult, Tests
from untildone.core.evidence import Evidence
from untildone.integrity.experiments.reported_tests import find_unnamed_failures


def make_result(outcome: CheckOutcome, tests: Tests | None) -> CheckResult:
    return CheckResult(name="test", command="tape", outcome=outcome, tests=tests)


NOW_GREEN = make_result("green", Tests(passed=3))
BROKEN_OFF = Tests(passed=1, failed=1)


@pytest.mark.parametrize(
    ("now", "outcome", "tests", "counts"),
    [
        pytest.param(NOW_GREEN, "red", BROKEN_OFF, True, id="broken off"),
        pytest.param(NOW_GREEN, "red", Tests(failed=1), False, id="no test ran"),
        pytest.param(
            NOW_GREEN, "red", Tests(passed=1, failed=1, failing=("a",)), False, id="named"
        ),
        pytest.param(NOW_GREEN, "red", Tests(passed=1), False, id="red for another reason"),
        pytest.param(NOW_GREEN, "timed-out", BROKEN_OFF, False, id="too slow"),
        pytest.param(NOW_GREEN, "red", None, False, id="no report"),
        pytest.param(make_result("red", BROKEN_OFF), "red", BROKEN_OFF, False, id="still red"),
    ],
)
def test_unnamed_failures(
    now: CheckResult, outcome: CheckOutcome, tests: Tests | None, counts: bool
) -> None:
    result = make_result(outcome, tests)

    found = find_unnamed_failures(Evidence(checks=(now,)), (result,))

    assert found == ((result,) if counts else ())
