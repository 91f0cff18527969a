"""What fails now, compared with what failed in the baseline."""

import pytest

from core.samples import GREEN, RED, failing, finding, make_baseline, make_evidence, result
from untildone.core.check_results import CheckResult, Tests, Totals
from untildone.core.failure_changes import (
    FailureChanges,
    FailureCounts,
    compare_failures,
    identify_failures,
)
from untildone.core.totals import count_totals

OLD, NEW = finding("old"), finding("new")
OF_T1 = finding("1 == 2", code="t1")


def lint_result(*found: str, outcome: str = "red") -> CheckResult:
    return result(outcome, findings=tuple(finding(text) for text in found))


def run_result(*failed: str, passing: tuple[str, ...] = ()) -> CheckResult:
    tests = Tests(passed=len(passing), failed=len(failed), failing=failed, passing=passing)
    return result("red" if failed else "green", tests=tests)


def test_without_a_baseline_everything_just_remains() -> None:
    red = run_result("t1")

    assert compare_failures(make_evidence(red)) == FailureChanges(
        remaining=((red, "t1", None),), uncompared=1
    )


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


def run_named(name: str, *, path: str = "a.py", outcome: str = "red") -> CheckResult:
    """A run of `a.py::t1` that another check may repeat."""
    if outcome == "green":
        return result("green", name, tests=Tests(passed=1, passing=("a.py::t1",)))
    tests = Tests(failed=1, failing=("a.py::t1",))
    return result("red", name, tests=tests, findings=(finding("1 == 2", path=path, code="t1"),))


def test_a_test_that_fails_in_two_checks_is_one_failure() -> None:
    both = (run_named("test"), run_named("ship"))
    then = make_baseline(*both)

    assert compare_failures(make_evidence(*both)).remaining == ((both[0], "a.py::t1", OF_T1),)
    assert compare_failures(make_evidence(*both, baseline=then)).counts == FailureCounts(
        in_baseline=1, remaining=1
    )
    fixed = (run_named("test", outcome="green"), run_named("ship", outcome="green"))
    assert compare_failures(make_evidence(*fixed, baseline=then)).counts == FailureCounts(
        in_baseline=1, fixed=1
    )
    # Green in one of them, the test still fails.
    half = (run_named("test", outcome="green"), run_named("ship"))
    assert compare_failures(make_evidence(*half, baseline=then)).counts == FailureCounts(
        in_baseline=1, remaining=1
    )
    assert count_totals(both) == Totals(failed=1)


def test_the_worst_that_a_check_says_of_a_test_counts() -> None:
    then = make_baseline(run_named("ship", outcome="green"))

    found = compare_failures(make_evidence(run_named("test"), run_named("ship"), baseline=then))

    assert (found.counts, found.remaining) == (FailureCounts(regressed=1), ())


def test_tests_of_one_name_in_two_packages_are_two() -> None:
    both = (run_named("test", path="a/t.py"), run_named("b:test", path="b/t.py"))

    assert len(compare_failures(make_evidence(*both)).remaining) == 2
    assert count_totals(both) == Totals(failed=2)


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
        pytest.param(
            run_result("a", passing=("b",)), run_result(passing=("b",)), 0, id="removed, then green"
        ),
        pytest.param(
            run_result("a", passing=("b",)),
            run_result(passing=("b", "new name")),
            100,
            id="renamed, then green",
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


@pytest.mark.parametrize(
    ("test", "code", "path"),
    [
        pytest.param(
            "cart.test.js \u203a cart \u203a adds", "cart \u203a adds", "cart.test.js", id="jest"
        ),
        pytest.param("tests/test_a.py", "", "tests/test_a.py", id="a file that cannot be loaded"),
        pytest.param("pytest::tests.test_a", "", "tests/test_a.py", id="the same in a report"),
    ],
)
def test_a_failing_test_is_counted_once(test: str, code: str, path: str) -> None:
    broken = result(
        tests=Tests(failed=1, failing=(test,)), findings=(finding("no", path=path, code=code),)
    )

    assert len(identify_failures(broken)) == 1
    assert count_totals((broken,)) == Totals(failed=1)
