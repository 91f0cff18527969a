"""Harmless reasons for checks that fail with the baseline's tests and settings in the sandbox.

Stricter settings may reject the baseline's tests, the baseline's tests may be too few for a
coverage limit, and a linter may reject code of the baseline's tests. Each reason is tried out on
another composition of files, on which the checks then have to pass.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from untildone.commands.deciding_calls import find_deciding_calls
from untildone.core.check_results import BaselineResult, CheckResult
from untildone.core.evidence import Evidence
from untildone.core.failure_changes import make_test_matcher
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.confirmation_inputs import ConfirmationInputs
from untildone.integrity.experiments.sandbox_files import compose_files
from untildone.integrity.tests.added_lines import find_concerns_about_additions
from untildone.sandbox.sandbox_source import SandboxFiles
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.limits import LimitExceeded
from untildone.worktree.roles import classify_file

# Code in tests that could make a run pass with less than the baseline's settings ask for.
_STEERS_RUNNER = compile_late(
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
    """Return in words, for the receipt, how the `red` checks pass after all; empty if they do not.

    `red` are failed checks. `passes` runs them on a tree in a sandbox. `inputs.uses_current` says
    of a path whether the current version of that test or setting is used in any case.
    """
    try:
        return _find_passing(inputs, comparison, evidence, red=red, passes=passes)
    except LimitExceeded:
        return ""


def _find_passing(
    inputs: ConfirmationInputs,
    comparison: Comparison,
    evidence: Evidence,
    *,
    red: Sequence[CheckResult],
    passes: Callable[[SandboxFiles], bool],
) -> str:
    """Do the same; raise LimitExceeded if reading the files takes too much."""
    read = comparison.read_within_budget
    old_settings = read(
        partial(compose_files, uses_current=inputs.uses_current, adapted=inputs.adapted_tests)
    )
    if old_settings.files != inputs.files.files and passes(old_settings):
        # New settings are too strict for the baseline's tests.
        return "with the baseline's settings"
    if not all(_wants_more_tests(result, evidence) for result in red):
        return ""
    # Current tests prove nothing if there is a concern about them.
    if evidence.concerns or comparison.fact(find_concerns_about_additions):
        return ""
    if read(_steers_runner):
        return ""

    def uses_current(path: str) -> bool:
        return inputs.uses_current(path) or classify_file(path) == "test"

    # The baseline's tests may be too few for the checks.
    has_enough_tests = passes(read(partial(compose_files, uses_current=uses_current)))
    return "and the checks pass with the current tests" if has_enough_tests else ""


def _steers_runner(comparison: Comparison) -> bool:
    """Say whether a changed test has code that could make a run pass with less."""
    changed = comparison.changes.edited_or_added
    tests = (path for path in changed if classify_file(path) == "test")
    return any(_STEERS_RUNNER.search(comparison.new.text(path)) for path in tests)


def _wants_more_tests(result: CheckResult, evidence: Evidence) -> bool:
    """Say whether a check fails although every baseline test ran and passed, as by low coverage."""
    tests_by_check = {old_result.name: old_result.tests for old_result in evidence.baseline or ()}
    old, new = tests_by_check.get(result.name), result.tests
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
    """Return the baseline's test files that made the checks red by findings of a linter.

    The linter reported the same findings in the baseline already. `tree` is the baseline's,
    `restored` are the files that the sandbox has from it. The result is empty if anything else made
    a check red.
    """
    known = {
        result.name: {finding.fingerprint for finding in result.findings} for result in baseline
    }
    if not all(_is_red_by_findings(tree, result) for result in red):
        return frozenset()
    findings = [(result.name, finding) for result in red for finding in result.findings]
    are_known = all(
        finding.path in restored and finding.fingerprint in known.get(check, ())
        for check, finding in findings
    )
    return frozenset(finding.path for _, finding in findings) if are_known else frozenset()


def _is_red_by_findings(tree: Tree, result: CheckResult) -> bool:
    """Say whether the findings of a linter made the check red, and no failing test did."""
    has_failed_tests = result.tests is not None and result.tests.failed > 0
    calls = find_deciding_calls(tree, result.command)
    # The linter may be a subcommand: `cargo clippy`, `cargo +nightly fmt`.
    runs_linter = any(_LINTERS.intersection(call[:3]) for call in calls)
    return bool(result.findings) and runs_linter and not has_failed_tests
