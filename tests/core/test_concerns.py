"""What was lost, what was allowed, and which tests no longer run."""

import pytest

from core.samples import make_baseline, make_evidence
from untildone.core.baseline_comparison import MergedTest, find_missing_tests, mark_missing_tests
from untildone.core.check_results import CheckOutcome, CheckResult, Tests
from untildone.core.concerns import (
    is_allowed,
    is_removal_allowed,
    make_concern,
    name_approval,
)
from untildone.core.evidence import Concern, ConcernKind

SUPPRESSED = make_concern(
    ConcernKind.SUPPRESSION, "a.py", "noqa.F401", reason="", content="0123456789abcdef"
)
REMOVED = make_concern(ConcernKind.REMOVE_TEST, "tests/a.py::test_x[1]", reason="")


@pytest.mark.parametrize(
    ("lost", "allowance", "expected"),
    [
        pytest.param(SUPPRESSED, "suppression:a.py:noqa.F401#0123456789ab", True, id="its id"),
        pytest.param(SUPPRESSED, "suppression:a.py:noqa.F401#ffffffffffff", False, id="changed"),
        pytest.param(SUPPRESSED, "suppression:a.py", True, id="whatever rule"),
        pytest.param(SUPPRESSED, "suppression:a.py:F401", True, id="a rule by its last part"),
        pytest.param(SUPPRESSED, "suppression:a.py:F40", False, id="another rule"),
        pytest.param(SUPPRESSED, "suppression:b.py:F401", False, id="another file"),
        pytest.param(SUPPRESSED, "config:a.py", False, id="another kind"),
        pytest.param(
            make_concern(ConcernKind.SUPPRESSION, "a.ts", "ts-ignore", reason=""),
            "suppression:a.ts:@ts-ignore",
            True,
            id="a rule as people write it",
        ),
        pytest.param(REMOVED, "remove-test:test_x", True, id="a test by its name"),
        pytest.param(REMOVED, "remove-test:tests", True, id="a folder"),
        pytest.param(REMOVED, "edit-test:tests/a.py", True, id="a wider kind"),
        pytest.param(REMOVED, "remove-test:test_y", False, id="another test"),
        pytest.param(REMOVED, "edit-expected:tests/a.py", False, id="a narrower kind"),
    ],
)
def test_an_allowance_covers_what_it_names(lost: Concern, allowance: str, expected: bool) -> None:
    assert is_allowed(lost, ("config:z", allowance)) is expected


@pytest.mark.parametrize(
    ("test", "allowance", "expected"),
    [
        pytest.param("tests/a.py::x", "remove-test:tests/a.py::x#12", True, id="approved by id"),
        pytest.param("test_a.Case.x[2]", "remove-test:a.py::x", True, id="as its runner names it"),
        pytest.param("tests/a.py::x", "edit-test:tests/a.py:x#12", True, id="its edit approved"),
        pytest.param("tests/a.py::xx", "remove-test:a.py::x", False, id="only its ending"),
        pytest.param("tests/a.py::_x", "remove-test:a.py::x", False, id="only its last word"),
        pytest.param("tests/a.py::x", "config:a.toml:x", False, id="no test"),
    ],
)
def test_a_test_may_go_by_whatever_name_its_runner_gives_it(
    test: str, allowance: str, expected: bool
) -> None:
    assert is_removal_allowed(test, (allowance,)) is expected


def run_result(*names: str, passed: int = 0, outcome: CheckOutcome = "green") -> CheckResult:
    tests = Tests(passed=passed or len(names), passing=names)
    return CheckResult(name="test", command="c", outcome=outcome, tests=tests)


@pytest.mark.parametrize(
    ("now", "allow", "expected"),
    [
        pytest.param(run_result("a", "b", "c"), (), [], id="all run"),
        pytest.param(run_result("a"), (), ["remove-test:b", "remove-test:c"], id="two are gone"),
        pytest.param(run_result("a"), ("remove-test:b",), ["remove-test:c"], id="one is allowed"),
        pytest.param(run_result("a", "b", "d"), (), [], id="another in its place"),
        pytest.param(run_result(passed=2), (), ["remove-test:test"], id="only counted"),
        pytest.param(run_result(passed=2), ("remove-test:b",), [], id="counted and allowed"),
        pytest.param(run_result("a", outcome="red"), (), [], id="red says it itself"),
    ],
)
def test_tests_that_no_longer_run_are_asked_about(
    now: CheckResult, allow: tuple[str, ...], expected: list[str]
) -> None:
    evidence = make_evidence(now, baseline=make_baseline(run_result("a", "b", "c")))

    assert [concern.id for concern in find_missing_tests(evidence, allow)] == expected


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        pytest.param(("cart::A", "cart::B"), ("cart",), [], id="a package that hides its tests"),
        pytest.param(("cart",), ("cart::A",), [], id="the tests of a package"),
        pytest.param(
            ("cart::A", "price::B"), ("cart",), ["remove-test:price::B"], id="another package"
        ),
        pytest.param(
            ("cart::A", "cart::B"), ("cart::A",), ["remove-test:cart::B"], id="one test of two"
        ),
    ],
)
def test_a_package_stands_for_its_tests(
    then: tuple[str, ...], now: tuple[str, ...], expected: list[str]
) -> None:
    evidence = make_evidence(run_result(*now), baseline=make_baseline(run_result(*then)))

    assert [concern.id for concern in find_missing_tests(evidence, ())] == expected


@pytest.mark.parametrize(
    ("then", "expected"),
    [
        pytest.param("cart.Case.test_rows [0]", [], id="a text"),
        pytest.param("cart.Case.test_rows (n=-1)", [], id="a value"),
        pytest.param(
            "cart.Case.test_other [0]", ["remove-test:cart.Case.test_other [0]"], id="another test"
        ),
    ],
)
def test_rows_of_unittest_that_pass_are_reported_by_their_test(
    then: str, expected: list[str]
) -> None:
    evidence = make_evidence(
        run_result("cart.Case.test_rows"),
        baseline=make_baseline(run_result(then, "cart.Case.test_rows")),
    )

    assert [concern.id for concern in find_missing_tests(evidence, ())] == expected


def test_where_nothing_is_known_of_the_baseline_nothing_is_lost() -> None:
    assert list(find_missing_tests(make_evidence(run_result("a")), ())) == []


@pytest.mark.parametrize(
    ("now", "strict", "expected"),
    [
        (run_result("a"), True, "no-evidence"),
        (run_result("a"), False, "green"),
        (run_result("b", "c"), True, "green"),
        (CheckResult(name="test", command="c", outcome="green"), False, "no-evidence"),
    ],
)
def test_a_run_in_the_clean_copy_needs_as_many_tests_as_the_baseline(
    now: CheckResult, strict: bool, expected: CheckOutcome
) -> None:
    had = Tests(passed=2, passing=("a", "b"))

    assert mark_missing_tests(now, had, allow=(), strict=strict).outcome == expected


def result_with_tests(*tests: str) -> CheckResult:
    return run_result(*(f"t.py::test_{test}" for test in tests))


TWO_IN_ONE = (
    MergedTest("t.py::test_b", "t.py::test_both", fresh=True),
    MergedTest("t.py::test_c", "t.py::test_both", fresh=True),
)


@pytest.mark.parametrize(
    ("now", "folds", "expected"),
    [
        pytest.param(("a", "both"), TWO_IN_ONE, [], id="two in a new one"),
        pytest.param(("a", "both"), (), ["b", "c"], id="nobody claims it"),
        pytest.param(("a", "both"), TWO_IN_ONE[:1], ["c"], id="one of them is lost"),
        pytest.param(("both",), TWO_IN_ONE, ["a"], id="another one is gone beside it"),
        pytest.param(("a",), TWO_IN_ONE, ["b", "c"], id="the new one did not run"),
        pytest.param(
            ("a", "b"),
            (MergedTest("t.py::test_c", "t.py::test_b", fresh=False),),
            [],
            id="an old one",
        ),
        pytest.param(
            ("a", "b"),
            (MergedTest("t.py::test_c", "t.py::test_c", fresh=False),),
            ["c"],
            id="still written down and not run",
        ),
    ],
)
def test_a_test_that_another_one_took_in_is_not_lost(
    now: tuple[str, ...], folds: tuple[MergedTest, ...], expected: list[str]
) -> None:
    evidence = make_evidence(
        result_with_tests(*now), baseline=make_baseline(result_with_tests("a", "b", "c"))
    )

    lost = find_missing_tests(evidence, (), folds)
    assert [concern.id for concern in lost] == [
        f"remove-test:t.py::test_{each}" for each in expected
    ]


@pytest.mark.parametrize(
    ("now", "kept"),
    [
        pytest.param(("a",), True, id="now a loop"),
        pytest.param(("a[1]",), False, id="rows that are not run"),
    ],
)
def test_rows_went_into_their_test_only_if_it_has_none_now(
    now: tuple[str, ...], kept: bool
) -> None:
    evidence = make_evidence(
        result_with_tests(*now), baseline=make_baseline(result_with_tests("a[1]", "a[2]"))
    )
    folds = (MergedTest("t.py::test_a", "t.py::test_a", fresh=False),)

    assert (list(find_missing_tests(evidence, (), folds)) == []) is kept


@pytest.mark.parametrize(("passed", "kept"), [(2, True), (1, False)])
def test_where_no_test_is_named_as_many_may_be_missing_as_were_taken_in(
    passed: int, kept: bool
) -> None:
    evidence = make_evidence(
        run_result(passed=passed), baseline=make_baseline(run_result(passed=3))
    )

    assert (list(find_missing_tests(evidence, (), TWO_IN_ONE)) == []) is kept


@pytest.mark.parametrize(
    ("finding", "expected"),
    [
        ("proof:tests#0123456789ab", "the change without a test"),
        (SUPPRESSED.id, "suppression:a.py:noqa.F401"),
    ],
)
def test_an_approval_is_named_as_the_user_reads_it(finding: str, expected: str) -> None:
    assert name_approval(finding) == expected
