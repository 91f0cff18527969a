"""Tests that ran at the baseline and are not reported by the checks any more."""

from msgspec.structs import replace

from untildone.core.baseline_comparison import MergedTest, find_missing_tests
from untildone.core.evidence import Evidence
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.trial import Trial
from untildone.integrity.tests.comparison import find_merged_tests
from untildone.worktree.limits import LimitExceeded, limit_time


def run_experiment(evidence: Evidence, trial: Trial) -> Evidence:
    """Add a concern for each test that is missing and not yet among the concerns."""
    known = evidence.concerns or ()
    allow = (*trial.inputs.contract.allow, *(each.id for each in known))
    missing = tuple(find_missing_tests(evidence, allow))
    if missing and trial.comparison is not None:
        # Tests are read again only where a name is missing: another test may have taken it in.
        missing = tuple(find_missing_tests(evidence, allow, _find_merged(trial.comparison)))
    return replace(evidence, concerns=(*known, *missing))


def _find_merged(comparison: Comparison) -> tuple[MergedTest, ...]:
    """Return the tests that others took in; none if that takes too long to find out."""
    try:
        with limit_time():
            return find_merged_tests(comparison)
    except (LimitExceeded, RecursionError, MemoryError):
        return ()
