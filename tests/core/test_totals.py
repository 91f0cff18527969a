"""Findings by severity and by file, tests by outcome."""

from core.samples import GREEN, finding, result
from untildone.core.check_results import FileTotals, Tests, Totals
from untildone.core.totals import MAX_WORST_FILES, count_totals, find_worst_files

LINT = result(
    "green",
    "lint",
    findings=(
        finding("a", path="b.py"),
        finding("b", path="b.py", severity="warning"),
        finding("c", path="a.py", severity="info"),
        finding("d", path="a.py", severity="security"),
        finding("e", path="", severity="security"),
    ),
)
TESTED = result(
    "red",
    tests=Tests(passed=3, failed=1, skipped=2, failing=("t.py::t1",)),
    findings=(finding("assert 1 == 2", path="t.py", code="t1"),),
)


def test_a_failing_test_is_not_counted_among_the_errors_again() -> None:
    assert count_totals((LINT, TESTED, GREEN)) == Totals(
        errors=1, warnings=1, infos=1, security=2, passed=3, failed=1, skipped=2
    )


def test_what_several_checks_say_of_a_line_counts_once() -> None:
    twice = (finding("a"), finding("a"))
    checks = (result("red", "build", findings=twice), result("red", "lint", findings=twice))

    assert count_totals(checks) == Totals(errors=2)
    assert find_worst_files(checks) == (FileTotals(path="a.py", errors=2),)


def test_files_with_the_most_findings_come_first() -> None:
    more = result("red", "more", findings=(finding("f", path="b.py"),))

    assert find_worst_files((LINT, TESTED, more)) == (
        FileTotals(path="b.py", errors=2, warnings=1),
        FileTotals(path="a.py", infos=1, security=1),
    )


def test_only_the_worst_files_are_reported() -> None:
    many = result("red", findings=tuple(finding(path=f"{number}.py") for number in range(99)))

    assert len(find_worst_files((many,))) == MAX_WORST_FILES
