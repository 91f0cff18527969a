"""Failures compared with the baseline: new, regressed, remaining, fixed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
from untildone.core.late_patterns import compile_late

# A check, the id of its failing test, and the finding; the last two may be missing.
Failure: TypeAlias = tuple[CheckResult, str, Finding | None]
# By failure id: the test's id, the index of its finding (-1: none), and what is equal for the same
# test in another check.
FailureIds: TypeAlias = dict[str, tuple[str, int, str]]
_Change: TypeAlias = Literal["regressed", "new", "remaining"]
# The worst first.
_CHANGES: tuple[_Change, ...] = ("regressed", "new", "remaining")
# test_cart.CartTest.test_rows (row=-1); test_cart.CartTest.test_rows [empty]
_SUBTEST = compile_late(r"([\w.]+\.\w+) [\[(]")


class FailureCounts(Struct, frozen=True, kw_only=True):
    """The failures of the checks that ran on the baseline, then and now.

    `unseen` counts those of the baseline that neither failed nor passed, such as removed tests.
    """

    in_baseline: int = 0
    fixed: int = 0
    unseen: int = 0
    new: int = 0
    regressed: int = 0
    remaining: int = 0

    @property
    def percent_fixed(self) -> int | None:
        """Return by how many per cent there are fewer failures than in the baseline.

        New failures count against it: from one error to two others is 0 %, not 100 %.
        """
        if not self.in_baseline:
            return None
        gone = max(0, self.fixed - self.new - self.regressed)
        return 100 * gone // self.in_baseline


class FailureChanges(Struct, frozen=True, kw_only=True):
    """Current failures, each in one list, and how many of the baseline's failures are gone.

    `unseen` counts those that neither failed nor passed, such as removed tests. `uncompared` counts
    the remaining ones of checks that did not run on the baseline.
    """

    new: tuple[Failure, ...] = ()
    regressed: tuple[Failure, ...] = ()
    remaining: tuple[Failure, ...] = ()
    fixed: int = 0
    unseen: int = 0
    in_baseline: int = 0
    uncompared: int = 0

    @property
    def counts(self) -> FailureCounts:
        return FailureCounts(
            in_baseline=self.in_baseline,
            fixed=self.fixed,
            unseen=self.unseen,
            new=len(self.new),
            regressed=len(self.regressed),
            remaining=len(self.remaining) - self.uncompared,
        )

    @property
    def failures(self) -> tuple[Failure, ...]:
        return (*self.regressed, *self.new, *self.remaining)

    @property
    def percent_fixed(self) -> int | None:
        return self.counts.percent_fixed


def compare_failures(evidence: Evidence) -> FailureChanges:
    """Compare with the baseline; a test that fails in several checks is one failure."""
    baseline = {result.name: result for result in evidence.baseline or ()}
    now = [
        (result, {} if result.green else identify_failures(result)) for result in evidence.checks
    ]
    before = {result.name: identify_failures(result) for result in baseline.values()}
    lists = _sort_by_change(now, before, baseline)
    failing = {place for _, found in now for _, _, place in found.values()}
    counted = _drop_repeated({name: before[name] for name in before if not baseline[name].green})
    fixed = gone = 0
    for result, found in now:
        left = [
            test
            for identity, (test, _, place) in counted.get(result.name, {}).items()
            if identity not in found and place not in failing
        ]
        fixed += _count_fixed(left, result, baseline[result.name]) if left else 0
        gone += len(left)
    return FailureChanges(
        new=tuple(lists["new"]),
        regressed=tuple(lists["regressed"]),
        remaining=tuple(lists["remaining"]),
        fixed=fixed,
        unseen=gone - fixed,
        uncompared=sum(result.name not in baseline for result, _, _ in lists["remaining"]),
        in_baseline=sum(map(len, counted.values())),
    )


def _sort_by_change(
    now: Iterable[tuple[CheckResult, FailureIds]],
    before: Mapping[str, FailureIds],
    baseline: Mapping[str, BaselineResult],
) -> dict[_Change, list[Failure]]:
    """Return the failures by what became of them, each once: the worst that a check says of it."""
    found: list[tuple[_Change, str, Failure]] = []
    for result, failures in now:
        known = before.get(result.name, failures)
        passed = _list_passed(baseline.get(result.name))
        for identity, (test, index, place) in failures.items():
            failure = (result, test, result.findings[index] if index >= 0 else None)
            found.append((_classify(identity, known, passed), place, failure))
    # A check that did not run on the baseline cannot say what was there before.
    found.sort(key=lambda each: (_CHANGES.index(each[0]), each[2][0].name not in baseline))
    lists: dict[_Change, list[Failure]] = {change: [] for change in _CHANGES}
    seen: set[str] = set()
    for change, place, failure in found:
        if place not in seen:
            lists[change].append(failure)
        seen.add(place)
    return lists


def _drop_repeated(failures: Mapping[str, FailureIds]) -> dict[str, FailureIds]:
    """Return the failures of each check without those of the checks before it."""
    seen: set[str] = set()
    kept: dict[str, FailureIds] = {}
    for name, found in failures.items():
        kept[name] = {each: found[each] for each in found if found[each][2] not in seen}
        seen.update(place for _, _, place in found.values())
    return kept


def count_repeated_tests(results: Iterable[CheckResult]) -> int:
    """Return how many failing tests are reported again by a further check."""
    places = [
        place for result in results for test, _, place in identify_failures(result).values() if test
    ]
    return len(places) - len(set(places))


def identify_failures(result: CheckResult | BaselineResult) -> FailureIds:
    """Return the failures of a check that is not green: its tests, findings, or itself."""
    findings: Sequence[Finding | BaselineFinding] = result.findings
    tests = result.tests.failing if result.tests else ()
    if not tests:
        found: FailureIds = {
            finding.fingerprint: ("", index, finding.fingerprint)
            for index, finding in enumerate(findings)
        }
        return found or {_identify_check(result.name): ("", -1, _identify_check(result.name))}
    ids = {test: _identify_test(result.name, test) for test in tests}
    found = {identity: (test, -1, identity) for test, identity in ids.items()}
    named = index_tests_by_name(tests)
    for index, finding in enumerate(findings):
        test = find_test(finding, named)
        identity = ids[test] if test else finding.fingerprint
        # Two packages may each have a `test_one`: the file tells whether it is the same test.
        place = f"{finding.path}\0{test}" if test and finding.path else identity
        found[identity] = (test, index, place)
    return found


def index_tests_by_name(tests: Iterable[str]) -> dict[str, str]:
    """Return test ids by the codes that findings use for them: with or without the file."""
    named: dict[str, str] = {}
    for test in tests:
        for name in (test, *(test.partition(mark)[2] for mark in ("::", " > ", " \u203a "))):
            if name:
                named[name] = test
    return named


def find_test(finding: Finding | BaselineFinding, named: Mapping[str, str]) -> str:
    """Return the failing test that the finding reports, by its code or its file; else empty.

    A test file that cannot be loaded is reported as one failing test, by its path or its module.
    """
    if finding.code:
        return named.get(finding.code, "")
    module = finding.path.rpartition(".")[0].replace("/", ".")
    return named.get(finding.path) or named.get(module, "")


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


def _count_fixed(gone: Sequence[str], result: CheckResult, had: BaselineResult) -> int:
    """Count failures of the baseline that are gone; a run that broke off proves nothing.

    `gone` has the test of each, empty where it was none.
    """
    tests = result.tests
    if not result.green and not result.findings and not (tests and tests.executed):
        return 0
    # A run that names its tests but not this one: the test was removed, not fixed.
    passes = make_test_matcher(Tests(passing=tests.passing if tests else ()))
    named = len(tests.passing) >= tests.passed if tests else not result.green
    removed = sum(bool(test) and not passes(test) for test in gone) if named else 0
    if result.green and tests and had.tests:
        # Where as many tests pass as ran before, a test of another name is the same one.
        removed = min(removed, max(0, had.tests.executed - tests.executed))
    return len(gone) - removed


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
