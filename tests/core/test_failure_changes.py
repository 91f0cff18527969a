"""What fails now, compared with what failed in the baseline."""

import pytest

from core.samples import GREEN, RED, failing, finding, make_baseline, make_evidence, result
from untildone.core.check_results import CheckResult, Tests
from untildone.core.failure_changes import FailureChanges, compare_failures

OLD, NEW = finding("old"), finding("new")


def lint_result(*found: str, outcome: str = "red") -> CheckResult:
    return result(outcome, findings=tuple(finding(text) for text in found))


def run_result(*failed: str, passing: tuple[str, ...] = ()) -> CheckResult:
    tests = Tests(passed=len(passing), failed=len(failed), failing=failed, passing=passing)
    return result("red" if failed else "green", tests=tests)


def test_without_a_baseline_everything_just_remains() -> None:
    red = run_result("t1")

    assert compare_failures(make_evidence(red)) == FailureChanges(remaining=((red, "t1", None),))


def test_each_failure_stands_in_one_list() -> None:
    tests = Tests(passed=1, failed=3, failing=("t1", "t2", "t3"), passing=("t4",))
    now = result("red", tests=tests, findings=(OLD, NEW))
    then = result(
        "red",
        tests=Tests(passed=1, failed=2, failing=("t1", "t4"), passing=("t2",)),
        findings=(OLD, finding("gone")),
    )

    assert compare_failures(make_evidence(now, baseline=make_baseline(then))) == FailureChanges(
        new=((now, "t3", None), (now, "", NEW)),
        regressed=((now, "t2", None),),
        remaining=((now, "t1", None), (now, "", OLD)),
        fixed=2,
        in_baseline=4,
    )


@pytest.mark.parametrize(
    ("test", "code"),
    [("a.py::T::t1", "T::t1"), ("a.ts > cart > adds", "cart > adds"), ("TestAdd", "TestAdd")],
)
def test_a_test_and_the_finding_on_it_are_one_failure(test: str, code: str) -> None:
    why = finding("assert 1 == 2", code=code)
    now = result("red", tests=Tests(failed=1, failing=(test,)), findings=(why,))

    assert compare_failures(make_evidence(now)).remaining == ((now, test, why),)


def test_a_check_that_only_exits_is_one_failure() -> None:
    late = result("timed-out")

    assert compare_failures(make_evidence(late, baseline=make_baseline(RED))).remaining == (
        (late, "", None),
    )
    assert compare_failures(make_evidence(late, baseline=make_baseline(GREEN))).regressed == (
        (late, "", None),
    )


def test_what_a_green_check_complained_about_is_not_new() -> None:
    warned = lint_result("old", outcome="green")

    found = compare_failures(
        make_evidence(lint_result("old", "new"), baseline=make_baseline(warned))
    )

    assert ([each[2] for each in found.remaining], [each[2] for each in found.new]) == (
        [OLD],
        [NEW],
    )


@pytest.mark.parametrize(
    ("then", "now", "per_cent"),
    [
        pytest.param(
            run_result("a", "b", "c"), run_result(passing=("a", "b", "c")), 100, id="all gone"
        ),
        pytest.param(
            run_result("a", "b", "c"), run_result("a", passing=("b", "c")), 66, id="one is left"
        ),
        pytest.param(
            run_result("a"), run_result("b", "c", passing=("a",)), 0, id="more new ones than before"
        ),
        pytest.param(
            run_result("a", "b"), run_result("c", passing=("a", "b")), 50, id="one of two is new"
        ),
        pytest.param(
            run_result("a", "b"), run_result("a", passing=("x",)), 0, id="removed is not mended"
        ),
        pytest.param(
            run_result("a", "b"), run_result("a"), 0, id="removed, and nothing else passes"
        ),
        pytest.param(run_result("a", "b"), failing("a"), 50, id="nobody names what passes"),
        pytest.param(
            run_result("cart::A", "price::B"),
            run_result("price::B", passing=("cart",)),
            50,
            id="a package stands for its tests",
        ),
        pytest.param(run_result("a"), RED, 0, id="the run broke off"),
        pytest.param(run_result("a"), lint_result("x"), 0, id="findings tell nothing of tests"),
        pytest.param(run_result("a"), result("unrunnable"), 0, id="it could not be run"),
        pytest.param(lint_result("a", "b"), lint_result("b"), 50, id="findings"),
        pytest.param(lint_result("a", "b"), GREEN, 100, id="no finding is left"),
        pytest.param(RED, GREEN, 100, id="an exit code"),
        pytest.param(RED, result("green", "other"), 0, id="the check was not run"),
        pytest.param(GREEN, RED, None, id="nothing failed at the start"),
    ],
)
def test_per_cent_of_the_baseline_that_is_gone(
    then: CheckResult, now: CheckResult, per_cent: int | None
) -> None:
    assert (
        compare_failures(make_evidence(now, baseline=make_baseline(then))).percent_fixed == per_cent
    )


def test_two_hundred_of_two_hundred_and_one_are_not_all() -> None:
    many = tuple(f"t{number}" for number in range(201))

    assert (
        compare_failures(
            make_evidence(failing(many[0]), baseline=make_baseline(failing(*many)))
        ).percent_fixed
        == 99
    )
