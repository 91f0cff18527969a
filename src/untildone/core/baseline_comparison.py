"""Results compared with the baseline: tests that ran in it and do not run now."""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.check_results import CheckResult, Tests
from untildone.core.concerns import is_removal_allowed, make_concern
from untildone.core.contract import Contract
from untildone.core.counts import apply_counts
from untildone.core.evidence import Concern, ConcernKind, Evidence
from untildone.core.failure_changes import make_test_matcher
from untildone.core.text import join_first, pluralize


class MergedTest(Struct, frozen=True):
    """A test of the baseline that was merged into another test; `fresh` if that one is new."""

    test: str
    into: str
    fresh: bool


class _Missing(Struct, frozen=True):
    """`fewer`: fewer tests run than before, so the missing ones were not just renamed."""

    reason: str
    names: tuple[str, ...] = ()
    fewer: bool = True


def judge_results(contract: Contract, evidence: Evidence, *, strict: bool = False) -> Evidence:
    """Return the evidence with results judged by the loop's counts and the baseline's tests.

    With `strict` a green run that lacks tests of the baseline is no evidence; without, the missing
    tests become concerns later.
    """
    evidence = replace(evidence, checks=apply_counts(contract, evidence.checks, evidence.baseline))
    baseline = {result.name: result.tests for result in evidence.baseline or () if result.tests}
    checks = tuple(
        mark_missing_tests(result, baseline[result.name], allow=contract.allow, strict=strict)
        if result.name in baseline
        else result
        for result in evidence.checks
    )
    return replace(evidence, checks=checks)


def mark_missing_tests(
    result: CheckResult, had: Tests, *, allow: tuple[str, ...], strict: bool
) -> CheckResult:
    """Return the result with a reason that names missing tests.

    It is no evidence where no test ran or, with `strict`, where fewer tests ran.
    """
    missing = _find_missing(result, had, allow, ())
    if missing is None:
        return result
    ran = result.tests is not None and result.tests.executed
    proves = not missing.fewer or (ran and not strict)
    return replace(
        result, outcome=result.outcome if proves else "no-evidence", reason=missing.reason
    )


def find_missing_tests(
    evidence: Evidence, allow: tuple[str, ...], folds: Sequence[MergedTest] = ()
) -> Iterator[Concern]:
    """Yield a concern for each missing test, or for the check where tests have no names."""
    baseline = {result.name: result.tests for result in evidence.baseline or () if result.tests}
    for result in evidence.checks:
        had = baseline.get(result.name)
        missing = _find_missing(result, had, allow, folds) if had else None
        if missing is None or not missing.fewer:
            continue
        for name in missing.names:
            yield make_concern(
                ConcernKind.REMOVE_TEST,
                name,
                reason=f"`{name}` ran in the baseline and does not run now",
            )
        if not missing.names:
            yield make_concern(ConcernKind.REMOVE_TEST, result.name, reason=missing.reason)


def _find_missing(
    result: CheckResult, had: Tests, allow: tuple[str, ...], folds: Sequence[MergedTest]
) -> _Missing | None:
    now = result.tests or Tests()
    if not result.green:
        return None
    if not (_names_all_tests(had) and _names_all_tests(now)):
        return _find_missing_by_number(now, had, allow, folds)
    ran = make_test_matcher(now)
    gone = [test for test in (*had.passing, *had.failing) if not ran(test)]
    vanished = [test for test in gone if not is_removal_allowed(test, allow)]
    if not vanished:
        return None
    taken = _match_merged(vanished, folds, now)
    left = tuple(test for test in vanished if test not in taken)
    fewer = now.executed - _count_new(taken.values()) < had.executed - len(gone) + len(left)
    if not left and not fewer:
        return None
    names = left or tuple(vanished)
    count = pluralize(len(names), "test")
    reason = f"{count} of the baseline did not run: {join_first(names)}"
    return _Missing(reason, names, fewer)


def _match_merged(
    vanished: Sequence[str], folds: Sequence[MergedTest], now: Tests
) -> dict[str, MergedTest]:
    by_word: dict[str, list[MergedTest]] = {}
    for fold in folds:
        by_word.setdefault(_get_last_word(fold.test), []).append(fold)
    found = {}
    for test in vanished:
        whole = test.partition("[")[0]
        for fold in by_word.get(_get_last_word(whole), ()):
            # Rows of a test that still exists were merged into it only if it has no rows now.
            stays = fold.test == fold.into and whole not in now.passing
            if not stays and is_removal_allowed(test, (f"remove-test:{fold.test}",)):
                found[test] = fold
    return found


def _get_last_word(test: str) -> str:
    return re.split(r"\W+", test.rstrip("()"))[-1]


def _count_new(folds: Iterable[MergedTest]) -> int:
    return len({fold.into for fold in folds if fold.fresh})


def _names_all_tests(tests: Tests) -> bool:
    return 0 < tests.executed == len(tests.passing) + len(tests.failing)


def _find_missing_by_number(
    now: Tests, had: Tests, allow: tuple[str, ...], folds: Sequence[MergedTest]
) -> _Missing | None:
    into_others = [fold for fold in folds if fold.test != fold.into]
    fewest = had.executed - len(into_others) + _count_new(into_others)
    if now.executed >= fewest or any(allowance.startswith("remove-test:") for allowance in allow):
        return None
    return _Missing(f"{pluralize(now.executed, 'test')} ran, {had.executed} in the baseline")
