"""Other trees on which the baseline's tests pass although they fail on the first one."""

import re
from collections.abc import Callable, Iterable, Sequence

from untildone.commands.deciding_calls import find_deciding_calls
from untildone.core.check_results import BaselineResult, CheckResult
from untildone.core.evidence import Evidence
from untildone.core.failure_changes import make_test_matcher
from untildone.integrity.comparison import Comparison
from untildone.integrity.confirmation_inputs import ConfirmationInputs
from untildone.integrity.experiments.sandbox_files import compose_files
from untildone.sandbox.sandboxes import SandboxFiles
from untildone.words import words
from untildone.worktree.contents import Tree
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

_LINTERS = words("""
    eslint oxlint biome prettier stylelint ruff flake8 pylint black isort mypy pyright golangci-lint
    shellcheck clippy fmt
""")


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
    baseline = {each.name: each.tests for each in evidence.baseline or ()}
    old, new = baseline.get(result.name), result.tests
    if old is None or new is None or result.outcome != "red" or new.failed:
        return False
    names = (*old.passing, *old.failing)
    return new.executed >= old.executed and all(map(make_test_matcher(new), names))


def find_linted_tests(
    tree: Tree,
    restored: Sequence[str],
    red: Sequence[CheckResult],
    baseline: Iterable[BaselineResult],
) -> frozenset[str]:
    """Return test files whose baseline version already had the findings that make a check red.

    None if anything else made the checks red.
    """
    known = {result.name: {each.fingerprint for each in result.findings} for result in baseline}
    if not all(_is_red_by_findings(tree, result) for result in red):
        return frozenset()
    found = [(result, each) for result in red for each in result.findings]
    old = all(
        each.path in restored and each.fingerprint in known.get(result.name, ())
        for result, each in found
    )
    return frozenset(each.path for _, each in found) if old else frozenset()


def _is_red_by_findings(tree: Tree, result: CheckResult) -> bool:
    """Whether a linter's findings made it red, and no failing test did."""
    failed = result.tests is not None and result.tests.failed > 0
    calls = find_deciding_calls(tree, result.command)
    linted = any(_LINTERS.intersection(call[:3]) for call in calls)
    return bool(result.findings) and linted and not failed
