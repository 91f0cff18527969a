"""Tests that ran at the baseline and are not reported by the checks any more."""

from msgspec.structs import replace

from untildone.core.evidence import Evidence
from untildone.core.missing_tests import lost_tests
from untildone.integrity.experiments.trial import Trial
from untildone.integrity.tests.comparison import folds


def run_experiment(evidence: Evidence, trial: Trial) -> Evidence:
    """Add a concern for each test that is missing and not yet among the concerns."""
    known = evidence.concerns or ()
    allow = (*trial.inputs.contract.allow, *(each.id for each in known))
    missing = tuple(lost_tests(evidence, allow))
    if missing and trial.comparison is not None:
        # Tests are read again only where a name is missing: another test may have taken it in.
        missing = tuple(lost_tests(evidence, allow, folds(trial.comparison)))
    return replace(evidence, concerns=(*known, *missing))
