"""What fails now beside what failed at the start: new, regressed, remaining, fixed."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.core.check_results import (
    BaselineFinding,
    BaselineResult,
    CheckResult,
    Finding,
    Tests,
)
from untildone.core.evidence import Evidence

# A check, the id of its test that failed, and what was found there: either may be missing.
Failure: TypeAlias = tuple[CheckResult, str, Finding | None]
# By identity: the test's id, and which of the findings it is (-1: none).
FailureIds: TypeAlias = dict[str, tuple[str, int]]
_Standing: TypeAlias = Literal["new", "regressed", "remaining"]
# test_cart.CartTest.test_rows (row=-1); test_cart.CartTest.test_rows [empty]
_ROW = re.compile(r"([\w.]+\.\w+) [\[(]")


class FailureChanges(Struct, frozen=True, kw_only=True):
    """Each failure stands in one list alone; of the others of the start only the number is told.

    `unseen`: neither seen to fail nor seen to pass, such as a test that was removed.
    """

    new: tuple[Failure, ...] = ()
    regressed: tuple[Failure, ...] = ()
    remaining: tuple[Failure, ...] = ()
    fixed: int = 0
    unseen: int = 0
    at_start: int = 0

    @property
    def improved(self) -> int | None:
        """Per cent of the start's failures that are gone: 100 only where none of them is left."""
        return 100 * self.fixed // self.at_start if self.at_start else None


def compare_failures(evidence: Evidence) -> FailureChanges:
    start = {result.name: result for result in evidence.baseline or ()}
    before = {name: identify_failures(result) for name, result in start.items()}
    lists: dict[_Standing, list[Failure]] = {"new": [], "regressed": [], "remaining": []}
    fixed = gone = 0
    for result in evidence.checks:
        now = {} if result.green else identify_failures(result)
        had = start.get(result.name)
        passed = _passed(had)
        known = before[had.name] if had else now
        for identity, (test, index) in now.items():
            failure = (result, test, result.findings[index] if index >= 0 else None)
            lists[_standing(identity, known, passed)].append(failure)
        if had and not had.green:
            fixed += _fixed(known, now, result)
            gone += sum(identity not in now for identity in known)
    return FailureChanges(
        new=tuple(lists["new"]),
        regressed=tuple(lists["regressed"]),
        remaining=tuple(lists["remaining"]),
        fixed=fixed,
        unseen=gone - fixed,
        at_start=sum(len(before[name]) for name in start if not start[name].green),
    )


def identify_failures(result: CheckResult | BaselineResult) -> FailureIds:
    """What fails in a check that is not green, each thing once: a test, a finding, or the check."""
    findings: Sequence[Finding | BaselineFinding] = result.findings
    tests = result.tests.failing if result.tests else ()
    if not tests:
        found: FailureIds = {each.fingerprint: ("", index) for index, each in enumerate(findings)}
        return found or {_of_check(result.name): ("", -1)}
    found = {_of_test(result.name, test): (test, -1) for test in tests}
    named = index_tests_by_name(tests)
    for index, finding in enumerate(findings):
        test = named.get(finding.code, "")
        found[_of_test(result.name, test) if test else finding.fingerprint] = (test, index)
    return found


def index_tests_by_name(tests: Iterable[str]) -> dict[str, str]:
    """The ids by what a finding on a test has as its code: the id with or without its file."""
    named: dict[str, str] = {}
    for test in tests:
        for name in (test, test.partition("::")[2], test.partition(" > ")[2]):
            if name:
                named[name] = test
    return named


def _of_test(check: str, test: str) -> str:
    return f"{check}:{test}"


def _of_check(check: str) -> str:
    return f"{check} fails"


def _standing(identity: str, known: FailureIds, passed: frozenset[str]) -> _Standing:
    if identity in passed:
        return "regressed"
    return "remaining" if identity in known else "new"


def _passed(start: BaselineResult | None) -> frozenset[str]:
    if start is None:
        return frozenset()
    tests = start.tests.passing if start.tests else ()
    check = (_of_check(start.name),) if start.green else ()
    return frozenset((*(_of_test(start.name, test) for test in tests), *check))


def _fixed(before: FailureIds, now: FailureIds, result: CheckResult) -> int:
    """What failed at the start and is seen not to fail: a run that broke off shows nothing."""
    if result.green:
        return len(before)
    tests = result.tests
    if not result.findings and not (tests and tests.executed):
        return 0
    # Where a run names its tests, one that it does not name was not mended but removed.
    passes = make_test_matcher(Tests(passing=tests.passing if tests else ()))
    named = tests is None or len(tests.passing) >= tests.passed
    return sum(
        identity not in now and not (named and test and not passes(test))
        for identity, (test, _) in before.items()
    )


def make_test_matcher(tests: Tests) -> Callable[[str], bool]:
    """Whether a test is named; its whole package may stand for it, or its tests for a package."""
    names = {*tests.passing, *tests.failing}
    holding = {name.partition("::")[0] for name in names}

    def told(test: str) -> bool:
        # A row of unittest's is named only where it fails.
        row = _ROW.match(test)
        alone = test in names or (row is not None and row[1] in names)
        return alone or test in holding or test.partition("::")[0] in names

    return told
