"""Tests compared between a run and the current results: which of them failed there and pass now."""

from collections.abc import Iterable, Iterator

from untildone.core.check_results import CheckResult, Tests
from untildone.core.evidence import Evidence
from untildone.core.failure_changes import index_tests_by_name, make_test_matcher


def find_failing_now_passing(evidence: Evidence, results: Iterable[CheckResult]) -> tuple[str, ...]:
    """Return the tests that fail in `results` and pass in the current results."""
    current = {result.name: result for result in evidence.checks}
    found = (
        test
        for result in results
        if result.tests and result.name in current
        for test in result.tests.failing
        if _passes(current[result.name], test)
    )
    return tuple(dict.fromkeys(found))


def find_unnamed_failures(
    evidence: Evidence, results: Iterable[CheckResult]
) -> tuple[CheckResult, ...]:
    """Return those of the results in which tests passed and others failed without a name.

    An error that a test throws may end its runner, which then reports no test as failing. The
    check must be green now.
    """
    green = {result.name for result in evidence.checks if result.green}
    return tuple(
        result
        for result in results
        if result.name in green
        and result.outcome == "red"
        and result.tests
        and result.tests.passed
        and result.tests.failed
        and not result.tests.failing
    )


def _passes(result: CheckResult, test: str) -> bool:
    """Say whether the test passes now; a green report without names passes every test."""
    tests = result.tests
    if tests is None:
        return False
    if not names_all_passing(tests):
        return result.green
    return make_test_matcher(Tests(passing=tests.passing))(test)


def names_all_passing(tests: Tests) -> bool:
    """Say whether the report names each test that passed."""
    return 0 < tests.passed <= len(tests.passing)


def find_turned_tests(evidence: Evidence) -> tuple[str, ...]:
    """Return the tests that failed in the baseline and pass now."""
    current = {result.name: result for result in evidence.checks}
    found = (
        test
        for before in evidence.baseline or ()
        if before.tests and before.name in current
        for test in before.tests.failing
        if _passes(current[before.name], test)
    )
    return tuple(dict.fromkeys(found))


def find_new_tests(evidence: Evidence) -> tuple[str, ...]:
    """Return the tests that pass now and were not in the baseline's report."""
    return tuple(dict.fromkeys(_list_new_tests(evidence)))


def _list_new_tests(evidence: Evidence) -> Iterator[str]:
    before = {result.name: result.tests for result in evidence.baseline or ()}
    for result in evidence.checks:
        had = before.get(result.name)
        known = {*had.passing, *had.failing, *had.skipping} if had else set()
        yield from (test for test in (result.tests or Tests()).passing if test not in known)


def read_messages(results: Iterable[CheckResult]) -> dict[str, str]:
    """Return what each failing test says."""
    said: dict[str, str] = {}
    for result in results:
        named = index_tests_by_name(result.tests.failing) if result.tests else {}
        for finding in result.findings:
            if test := named.get(finding.code, ""):
                said.setdefault(test, finding.text)
    return said
