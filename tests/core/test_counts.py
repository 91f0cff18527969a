"""Counts as criteria: what of the checks' findings and tests a loop is about."""

from typing import Any

import pytest

from core.samples import contract, finding, make_baseline, result
from untildone.core.baseline_comparison import judge_results
from untildone.core.check_results import CheckResult, Tests
from untildone.core.contract import Count
from untildone.core.counts import apply_counts, find_unmet_counts
from untildone.core.criteria import apply_exit_rule
from untildone.core.evidence import Evidence
from untildone.core.progress import Progress

ERROR = finding("unused")
WARNING = finding("shadowed", code="B006", severity="warning")
NOTE = finding("see", severity="info")
INSECURE = finding("eval", severity="security")
ELSEWHERE = finding("unused", path="lib/a.py")
INSIDE = finding("unused", path="src/a.py")
NOWHERE = finding("it broke", path="")
OLD = Tests(passed=1, failed=1, failing=("test_old",))
NEW = Tests(passed=0, failed=2, failing=("test_old", "test_new"))
UNNAMED = Tests(passed=1, failed=1)


def judge_counts(
    outcome: str,
    *found: Any,  # noqa: ANN401  a finding of any kind
    tests: Tests | None = None,
    **agreed: Any,  # noqa: ANN401  any field of a contract
) -> CheckResult:
    terms = {"preset": "fix", "counts": ("zero-errors",), **agreed}
    before = make_baseline(result("red", tests=OLD))
    (changed,) = apply_counts(
        contract(**terms), (result(outcome, findings=found, tests=tests),), before
    )
    return changed


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        pytest.param(judge_counts("red", ERROR, WARNING), ("red", ""), id="an error"),
        pytest.param(
            judge_counts("red", WARNING, NOTE),
            ("green", "not counted: 1 warning, 1 note"),
            id="warnings that do not count",
        ),
        pytest.param(
            judge_counts("red", WARNING, counts=("zero-errors", "zero-warnings")),
            ("red", ""),
            id="warnings that count",
        ),
        pytest.param(judge_counts("red", INSECURE), ("red", ""), id="security always counts"),
        pytest.param(
            judge_counts("red", ERROR, counts=("zero-warnings",)),
            ("green", "not counted: 1 error"),
            id="errors that do not count",
        ),
        pytest.param(judge_counts("red"), ("red", ""), id="an exit code that nothing explains"),
        pytest.param(judge_counts("timed-out", WARNING), ("timed-out", ""), id="no answer"),
        pytest.param(judge_counts("green"), ("green", ""), id="nothing at all"),
        pytest.param(
            judge_counts("green", WARNING), ("green", ""), id="green with what does not count"
        ),
        pytest.param(
            judge_counts("green", ERROR, ERROR),
            ("red", "it passes, but reports 2 errors"),
            id="green with errors",
        ),
        pytest.param(
            judge_counts("green", WARNING, preset="lint", counts=("zero-warnings",)),
            ("red", "it passes, but reports 1 warning"),
            id="another preset, green with warnings",
        ),
        pytest.param(
            judge_counts("red", NOTE, preset="lint", counts=("zero-warnings",)),
            ("red", ""),
            id="another preset excuses nothing",
        ),
        pytest.param(
            judge_counts("red", ELSEWHERE, targets=("src",)),
            ("green", "not counted: 1 finding outside of the target"),
            id="elsewhere",
        ),
        pytest.param(
            judge_counts("red", finding(path="srcs/a.py"), targets=("src",)),
            ("green", "not counted: 1 finding outside of the target"),
            id="a name that begins alike",
        ),
        pytest.param(
            judge_counts("red", INSIDE, targets=("src",)), ("red", ""), id="in the folder"
        ),
        pytest.param(
            judge_counts("red", INSIDE, targets=("src/a.py",)), ("red", ""), id="in the file"
        ),
        pytest.param(judge_counts("red", NOWHERE, targets=("src",)), ("red", ""), id="in no file"),
        pytest.param(
            judge_counts("red", tests=OLD),
            ("green", "not counted: 1 test that failed before"),
            id="a test that failed at the start",
        ),
        pytest.param(judge_counts("red", tests=NEW), ("red", ""), id="a test that did not"),
        pytest.param(judge_counts("red", tests=UNNAMED), ("red", ""), id="a test without a name"),
        pytest.param(
            judge_counts("red", tests=OLD, counts=("zero-errors", "tests-pass")),
            ("red", ""),
            id="tests that must pass",
        ),
        pytest.param(
            judge_counts("red", finding(code="test_old"), tests=OLD),
            ("green", "not counted: 1 test that failed before"),
            id="a test's own failure is no error",
        ),
    ],
)
def test_a_result_as_the_loop_means_it(changed: CheckResult, expected: tuple[str, str]) -> None:
    assert (changed.outcome, changed.reason) == expected


def test_findings_outside_of_the_target_are_not_reported() -> None:
    assert judge_counts("red", INSIDE, ELSEWHERE, targets=("src",)).findings == (INSIDE,)


def test_findings_outside_of_the_target_are_not_counted() -> None:
    known = result("red", findings=(INSIDE, ELSEWHERE), finding_count=2)

    (judged,) = apply_counts(contract(targets=("src",)), (known,), None)

    assert judged.finding_count == 1


def test_without_a_baseline_every_failing_test_counts() -> None:
    agreed = contract(preset="fix", counts=("zero-errors",))

    (changed,) = apply_counts(agreed, (result("red", tests=OLD),), None)

    assert changed.outcome == "red"


NONE = result("no-evidence", "test", tests=Tests())
LINT = result("red", "lint", findings=(ERROR,))


@pytest.mark.parametrize(
    ("results", "start", "counts", "outcome"),
    [
        pytest.param((NONE, LINT), (LINT,), (), "green", id="as at the start"),
        pytest.param((NONE,), (LINT,), (), "no-evidence", id="nobody else speaks"),
        pytest.param((NONE, LINT), None, (), "no-evidence", id="nothing is known of the start"),
        pytest.param(
            (NONE, LINT),
            (result("red", "test", tests=OLD),),
            (),
            "no-evidence",
            id="tests ran at the start",
        ),
        pytest.param((NONE, LINT), (LINT,), ("tests-pass",), "no-evidence", id="tests count"),
    ],
)
def test_where_no_test_ever_ran_errors_are_what_counts(
    results: Any,  # noqa: ANN401
    start: Any,  # noqa: ANN401
    counts: tuple[Count, ...],
    outcome: str,
) -> None:
    agreed = contract(preset="fix", counts=("zero-errors", *counts))

    assert apply_counts(agreed, results, start)[0].outcome == outcome


def test_results_stay_what_they_are_where_nothing_is_counted() -> None:
    results = (result("red", findings=(WARNING,)),)

    assert apply_counts(contract(), results, None) is results


def test_what_was_judged_once_is_judged_the_same_again() -> None:
    agreed = contract(preset="fix", counts=("zero-errors",), targets=("src",))
    evidence = Evidence(checks=(result("red", findings=(ELSEWHERE,)),))

    once = judge_results(agreed, evidence)

    assert judge_results(agreed, once) == once


ALL: tuple[Count, ...] = ("zero-errors", "zero-warnings", "zero-security", "tests-pass")


@pytest.mark.parametrize(
    ("checks", "unmet"),
    [
        pytest.param((), (), id="nothing was run"),
        pytest.param((result("green", tests=Tests(passed=1)),), (), id="nothing is left"),
        pytest.param((result("green"),), ("tests-pass",), id="no test ran"),
        pytest.param(
            (result("red", findings=(ERROR, WARNING, INSECURE), tests=NEW),), ALL, id="all of it"
        ),
    ],
)
def test_counts_are_criteria_by_name(checks: Any, unmet: tuple[str, ...]) -> None:  # noqa: ANN401
    agreed = contract(preset="fix", counts=ALL)
    evidence = Evidence(checks=checks)

    assert find_unmet_counts(agreed, evidence) == unmet
    if checks:
        expected = "unmet" if unmet else "done"
        assert apply_exit_rule(agreed, Progress(checks_seen_red=("test",)), evidence) == expected


def test_no_count_is_no_criterion() -> None:
    assert find_unmet_counts(contract(), Evidence(checks=(result("red"),))) == ()


def test_a_marker_with_errors_left_is_only_claimed() -> None:
    agreed = contract(preset="fix", counts=("zero-errors",), done_when="either")
    evidence = Evidence(checks=(result("red", findings=(ERROR,)),), signalled=True)

    assert apply_exit_rule(agreed, Progress(), evidence) == "claimed"
