"""Other trees on which the baseline's tests pass although they fail on the first one."""

import re
from collections.abc import Callable, Sequence

from untildone.core.check_results import CheckResult
from untildone.core.evidence import Evidence
from untildone.core.failure_changes import make_test_matcher
from untildone.integrity.comparison import Comparison
from untildone.integrity.confirmation_inputs import ConfirmationInputs
from untildone.integrity.experiments.composition import compose_files
from untildone.sandbox.sandboxes import SandboxFiles
from untildone.worktree.roles import classify_file

# Stricter settings may be too strict for the baseline's tests.
_WITH_SETTINGS = "with the baseline's settings"
# The baseline's tests may be too few.
_WITH_TESTS = "and the checks with those of now"

# Code in tests that could make a run pass with less than the baseline's settings ask for.
_STEERS = re.compile(
    r"\bdef pytest_|\bhookimpl\b|\bcov|_cov\b|fail_under|config\.option|\bpluginmanager\b"
    r"|\batexit\b|\b_?exit\(|\bsettrace\b"
)


def find_alternative(
    inputs: ConfirmationInputs,
    comparison: Comparison,
    evidence: Evidence,
    *,
    red: Sequence[CheckResult],
    passes: Callable[[SandboxFiles], bool],
) -> str:
    """Say how the checks pass after all; empty if they do not."""
    plain = compose_files(comparison, uses_current=inputs.uses_current, adapted=inputs.adapted)
    if plain.files != inputs.files.files and passes(plain):
        return _WITH_SETTINGS
    if evidence.concerns or not all(_wants_more_tests(result, evidence) for result in red):
        return ""
    changed = comparison.changes.edited_or_added
    tests = (path for path in changed if classify_file(path) == "test")
    if any(_STEERS.search(comparison.new.text(path)) for path in tests):
        return ""

    def uses_current(path: str) -> bool:
        return inputs.uses_current(path) or classify_file(path) == "test"

    return _WITH_TESTS if passes(compose_files(comparison, uses_current=uses_current)) else ""


def _wants_more_tests(result: CheckResult, evidence: Evidence) -> bool:
    """Red although every test of the baseline ran and passed, as for want of coverage."""
    start = {each.name: each.tests for each in evidence.baseline or ()}
    had, now = start.get(result.name), result.tests
    if had is None or now is None or result.outcome != "red" or now.failed:
        return False
    return now.executed >= had.executed and all(
        map(make_test_matcher(now), (*had.passing, *had.failing))
    )
