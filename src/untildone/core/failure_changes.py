"""Failures compared with the baseline: new, regressed, remaining, fixed."""

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

# A check, the id of its failing test, and the finding; the last two may be missing.
Failure: TypeAlias = tuple[CheckResult, str, Finding | None]
# By failure id: the test's id, and the index of its finding (-1: none).
FailureIds: TypeAlias = dict[str, tuple[str, int]]
_Change: TypeAlias = Literal["new", "regressed", "remaining"]
# test_cart.CartTest.test_rows (row=-1); test_cart.CartTest.test_rows [empty]
_SUBTEST = re.compile(r"([\w.]+\.\w+) [\[(]")


class FailureChanges(Struct, frozen=True, kw_only=True):
    """Current failures, each in one list, and how many of the baseline's failures are gone.

    `unseen` counts those that neither failed nor passed, such as removed tests.
    """

    new: tuple[Failure, ...] = ()
    regressed: tuple[Failure, ...] = ()
    remaining: tuple[Failure, ...] = ()
    fixed: int = 0
    unseen: int = 0
    in_baseline: int = 0

    @property
    def percent_fixed(self) -> int | None:
        """Return by how many per cent there are fewer failures than in the baseline.

        New failures count against it: from one error to two others is 0 %, not 100 %.
        """
        if not self.in_baseline:
            return None
        gone = max(0, self.fixed - len(self.new) - len(self.regressed))
        return 100 * gone // self.in_baseline


def compare_failures(evidence: Evidence) -> FailureChanges:
    baseline = {result.name: result for result in evidence.baseline or ()}
    before = {name: identify_failures(result) for name, result in baseline.items()}
    lists: dict[_Change, list[Failure]] = {"new": [], "regressed": [], "remaining": []}
    fixed = gone = 0
    for result in evidence.checks:
        now = {} if result.green else identify_failures(result)
        had = baseline.get(result.name)
        passed = _list_passed(had)
        known = before[had.name] if had else now
        for identity, (test, index) in now.items():
            failure = (result, test, result.findings[index] if index >= 0 else None)
            lists[_classify(identity, known, passed)].append(failure)
        if had and not had.green:
            fixed += _count_fixed(known, now, result)
            gone += sum(identity not in now for identity in known)
    return FailureChanges(
        new=tuple(lists["new"]),
        regressed=tuple(lists["regressed"]),
        remaining=tuple(lists["remaining"]),
        fixed=fixed,
        unseen=gone - fixed,
        in_baseline=sum(len(before[name]) for name in baseline if not baseline[name].green),
    )


def identify_failures(result: CheckResult | BaselineResult) -> FailureIds:
    """Return the failures of a check that is not green: its tests, findings, or itself."""
    findings: Sequence[Finding | BaselineFinding] = result.findings
    tests = result.tests.failing if result.tests else ()
    if not tests:
        found: FailureIds = {
            finding.fingerprint: ("", index) for index, finding in enumerate(findings)
        }
        return found or {_identify_check(result.name): ("", -1)}
    found = {_identify_test(result.name, test): (test, -1) for test in tests}
    named = index_tests_by_name(tests)
    for index, finding in enumerate(findings):
        test = named.get(finding.code, "")
        found[_identify_test(result.name, test) if test else finding.fingerprint] = (test, index)
    return found


def index_tests_by_name(tests: Iterable[str]) -> dict[str, str]:
    """Return test ids by the codes that findings use for them: with or without the file."""
    named: dict[str, str] = {}
    for test in tests:
        for name in (test, test.partition("::")[2], test.partition(" > ")[2]):
            if name:
                named[name] = test
    return named


def _identify_test(check: str, test: str) -> str:
    return f"{check}:{test}"


def _identify_check(check: str) -> str:
    return f"{check} fails"


def _classify(identity: str, known: FailureIds, passed: frozenset[str]) -> _Change:
    if identity in passed:
        return "regressed"
    return "remaining" if identity in known else "new"


def _list_passed(baseline: BaselineResult | None) -> frozenset[str]:
    if baseline is None:
        return frozenset()
    tests = baseline.tests.passing if baseline.tests else ()
    check = (_identify_check(baseline.name),) if baseline.green else ()
    return frozenset((*(_identify_test(baseline.name, test) for test in tests), *check))


def _count_fixed(before: FailureIds, now: FailureIds, result: CheckResult) -> int:
    """Count failures of the baseline that are gone; a run that broke off proves nothing."""
    if result.green:
        return len(before)
    tests = result.tests
    if not result.findings and not (tests and tests.executed):
        return 0
    # A run that names its tests but not this one: the test was removed, not fixed.
    passes = make_test_matcher(Tests(passing=tests.passing if tests else ()))
    named = tests is None or len(tests.passing) >= tests.passed
    return sum(
        identity not in now and not (named and test and not passes(test))
        for identity, (test, _) in before.items()
    )


def make_test_matcher(tests: Tests) -> Callable[[str], bool]:
    """Return a function that says whether a report names a test, or its package or file."""
    names = {*tests.passing, *tests.failing}
    holding = {name.partition("::")[0] for name in names}

    def is_named(test: str) -> bool:
        # unittest names a subtest only where it fails; if it passes, only its test is named.
        row = _SUBTEST.match(test)
        alone = test in names or (row is not None and row[1] in names)
        return alone or test in holding or test.partition("::")[0] in names

    return is_named
