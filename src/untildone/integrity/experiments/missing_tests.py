"""The experiment that needs no run: tests that ran at the baseline and are no longer reported.

Test names are compared between the baseline's results and the current results of the checks. If
`test_price` passed at the baseline and no result names it now, that is a concern, unless its
assertions became part of another test.
"""

from contextlib import suppress

from msgspec.structs import replace

from untildone.core.baseline_comparison import find_missing_tests
from untildone.core.evidence import Evidence
from untildone.integrity.experiments.trial import Trial
from untildone.integrity.tests.comparison import find_merged_tests
from untildone.worktree.limits import LimitExceeded


def run_experiment(evidence: Evidence, trial: Trial) -> Evidence:
    """Return the evidence with a concern for each missing test that has none and no approval."""
    known = evidence.concerns or ()
    covered_ids = (*trial.inputs.contract.allow, *(concern.id for concern in known))
    missing = tuple(find_missing_tests(evidence, covered_ids))
    if missing and trial.comparison is not None:
        # Two tests may have become one. To find that out all tests are read, which is slow, so it
        # is done only where a name is missing. If it takes too long, no test counts as merged.
        with suppress(LimitExceeded):
            merged = trial.comparison.read_within_budget(find_merged_tests)
            missing = tuple(find_missing_tests(evidence, covered_ids, merged))
    return replace(evidence, concerns=(*known, *missing))
