"""The baseline's tests run on the current product, and the reason if they fail.

If they fail, more runs find out why: on the current tree as it is, on the baseline's tree, and a
second time, since tests may fail by chance.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.core.evidence import Concern
from untildone.core.sandbox_trial import (
    SandboxRunResult,
    Wall,
    WallTrial,
    describe_walls,
    find_walls,
)
from untildone.core.text import join_first
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.affected_selection import describe_extent
from untildone.integrity.experiments.alternatives import find_alternative, find_linted_tests
from untildone.integrity.experiments.failure_causes import find_causes, report_sandbox_failures
from untildone.integrity.experiments.python_path import add_moved_folders
from untildone.integrity.experiments.sandbox_files import take_tree
from untildone.integrity.experiments.sandbox_results import SandboxRun
from untildone.integrity.experiments.sandbox_runs import SandboxRuns, run_in_sandbox
from untildone.sandbox.sandbox_source import SandboxFiles
from untildone.worktree.limits import LimitExceeded

T = TypeVar("T")
_MISSING_MODULE = "No module named"
_PASS = "pass-to-pass: the baseline's tests pass on the new code"  # noqa: S105  not a password


class PassToPass(Struct, frozen=True):
    """The outcome of running the baseline's tests on the current product."""

    # None if the runs prove nothing either way.
    passed: bool | None
    # For the receipt.
    summary: str
    concerns: tuple[Concern, ...] = ()
    results: tuple[CheckResult, ...] = ()
    # A failure of untildone itself.
    fault: str = ""
    # Test files whose current version was used, because a linter rejects the baseline's.
    current_tests: frozenset[str] = frozenset()
    # A line for the receipt about the walls of the sandbox.
    walls: str = ""
    # Lines for the receipt about checks of which not everything ran.
    notes: tuple[str, ...] = ()
    # The test files that ran; None if all did.
    only_tests: frozenset[str] | None = None


def run_baseline_tests(runs: SandboxRuns) -> PassToPass:
    """Run the checks with the baseline's tests on the current product, and explain a failure."""
    inputs = runs.trial.inputs
    checks = [check for check in inputs.contract.checks if check.replay]
    if not checks:
        return PassToPass(None, "comparison only: no check runs in the sandbox")
    if inputs.sandbox and not inputs.sandbox.works:
        return _describe_useless_sandbox(inputs.sandbox.reasons)
    first = replace(runs, extent="affected first").run(inputs.files, checks)
    if first.failed_early and not first.fault:
        if outcome := _explain_early_failure(runs, _select_red(checks, first)):
            return outcome
        first = runs.run(inputs.files, checks)
    if first.unproved or first.fault:
        return PassToPass(None, f"comparison only: {first.unproved}", fault=first.fault)
    if first.red:
        outcome = _explain_failure(runs, first, _select_red(checks, first))
    else:
        outcome = PassToPass(True, _describe_pass(runs, first), results=first.results)
    reasons = inputs.sandbox.reasons if inputs.sandbox else ()
    walls = describe_walls(first.walls, reasons) if outcome.passed is not None else ""
    notes = tuple(_describe_extents(runs, first, checks))
    outcome = replace(outcome, walls=outcome.walls or walls)
    return replace(outcome, notes=notes, only_tests=_list_affected_files(first))


def _select_red(checks: Sequence[Check], run: SandboxRun) -> list[Check]:
    names = {result.name for result in run.red}
    return [check for check in checks if check.name in names]


def _explain_early_failure(runs: SandboxRuns, checks: Sequence[Check]) -> PassToPass | None:
    """Return the outcome if affected tests fail only in the baseline's version, twice.

    None: they also fail in the current version, since they depend on tests that did not run or on
    something that a sandbox lacks, or there is a harmless cause. Then the whole run decides.
    """
    inputs, runs = runs.trial.inputs, replace(runs, extent="affected")
    if not inputs.files.restored:
        return None
    if not runs.run(take_tree(runs.comparison, current=True), checks).passed:
        return None
    second = runs.run(inputs.files, checks)
    if not second.has_failing_tests or _find_harmless_cause(runs, second, checks):
        return None
    return _report_causes(runs, second)


def _report_causes(runs: SandboxRuns, failed: SandboxRun) -> PassToPass:
    restored = runs.trial.inputs.files.restored
    # Without a failing test every restored file is a cause.
    concerns = _read(
        runs,
        lambda comparison: tuple(find_causes(comparison, restored, failed.red)),
        otherwise=None,
    ) or tuple(find_causes(runs.comparison, restored, ()))
    return PassToPass(False, "pass-to-pass: the baseline's tests fail on the new code", concerns)


def _describe_extents(runs: SandboxRuns, run: SandboxRun, checks: Sequence[Check]) -> Iterator[str]:
    """Yield a line for the receipt on each check that its affected tests may confirm."""
    in_project = {result.name: result for result in runs.evidence.checks}
    in_sandbox = {result.name: result for result in run.results if result.name in run.affected}
    for check in checks:
        if check.confirm == "affected":
            whole = in_project.get(check.name)
            yield describe_extent(check, in_sandbox.get(check.name), whole)


def _list_affected_files(run: SandboxRun) -> frozenset[str] | None:
    """Return the test files that ran, if of some check only the affected tests did."""
    if not run.affected:
        return None
    return frozenset(path for affected in run.affected.values() for path in affected.files)


def _describe_pass(runs: SandboxRuns, run: SandboxRun) -> str:
    """Return what a run without a failure proves, for the receipt."""
    if not any(result.tests and result.tests.executed for result in run.results):
        return "the checks pass in the sandbox; they report no tests"
    inputs = runs.trial.inputs
    current = [
        path
        for path in runs.comparison.changes.edited_or_removed
        if runs.comparison.role(path) == "test" and inputs.uses_current(path)
    ]
    exceptions = f", except those of {join_first(current)}" if current else ""
    passed = _PASS.replace("tests", "affected tests") if run.affected else _PASS
    return f"{passed}{exceptions}"


def _explain_failure(runs: SandboxRuns, first: SandboxRun, checks: Sequence[Check]) -> PassToPass:
    """Find out whether the baseline's tests, the sandbox or chance made the checks fail."""
    inputs = runs.trial.inputs
    current = runs.run(take_tree(runs.comparison, current=True), checks)
    if current.failure:
        return PassToPass(None, "", fault=current.failure)
    if current.red:
        return _explain_red_project(runs, first, checks)
    second = runs.run(inputs.files, checks) if inputs.files.restored else current
    if second.failure or not second.red:
        summary = f"{_PASS}, the second time"
        return PassToPass(True, summary, results=second.results, fault=second.failure)
    if outcome := _find_harmless_cause(runs, second, checks):
        return outcome
    return _report_causes(runs, second)


def _find_harmless_cause(
    runs: SandboxRuns, failed: SandboxRun, checks: Sequence[Check]
) -> PassToPass | None:
    """Return how the checks pass without weakening the baseline's tests; None if they do not."""
    inputs = runs.trial.inputs
    baseline = runs.evidence.baseline or ()
    linted = _read(
        runs,
        lambda comparison: find_linted_tests(
            comparison.old, inputs.files.restored, failed.red, baseline
        ),
        otherwise=frozenset[str](),
    )
    if linted and runs.run(_use_current(runs, linted), checks).passed:
        names = ", ".join(sorted(linted))
        return PassToPass(True, f"{_PASS}, but for findings in {names}", current_tests=linted)
    how = find_alternative(
        inputs,
        runs.comparison,
        runs.evidence,
        red=failed.red,
        passes=lambda files: runs.run(files, checks).passed,
    )
    if how:
        return PassToPass(True, f"{_PASS}, {how}")
    if _passes_with_usual_folders(runs, failed, checks):
        return PassToPass(True, f"{_PASS}, if Python finds the modules that moved")
    return None


def _read(runs: SandboxRuns, compute: Callable[[Comparison], T], *, otherwise: T) -> T:
    """Return what is computed from files, or `otherwise` if that takes too much."""
    try:
        return runs.comparison.read_within_budget(compute)
    except LimitExceeded:
        return otherwise


def _passes_with_usual_folders(
    runs: SandboxRuns, failed: SandboxRun, checks: Sequence[Check]
) -> bool:
    """Say whether the checks pass once Python looks for modules in the project and in `src`.

    The baseline's settings may name folders in which the modules no longer are.
    """
    if not all(_MISSING_MODULE in result.output for result in failed.red):
        return False
    inputs = runs.trial.inputs
    python_path = _read(
        runs,
        lambda comparison: add_moved_folders(
            comparison, comparison.baseline.variables, with_usual=True
        ),
        otherwise=dict[str, str](),
    )
    trial = replace(runs.trial, inputs=replace(inputs, python_path=python_path))
    return replace(runs, trial=trial).run(inputs.files, checks).passed


def _use_current(runs: SandboxRuns, paths: frozenset[str]) -> SandboxFiles:
    """Return the files of the first run with the current version of these paths."""
    files, new = runs.trial.inputs.files, runs.comparison.new
    current = {path: new.root / path for path in paths if path in new}
    restored = tuple(path for path in files.restored if path not in paths)
    return SandboxFiles({**files.files, **current}, restored)


def _explain_red_project(
    runs: SandboxRuns, first: SandboxRun, checks: Sequence[Check]
) -> PassToPass:
    """Return the outcome where the current tree, as it is, fails in a sandbox too.

    The user is asked, if the baseline does in the sandbox what it does outside. Otherwise the
    sandbox lacks something that the checks need, and fewer walls are tried.
    """
    inputs = runs.trial.inputs
    if inputs.sandbox is None:
        trial = _try_walls(runs, checks)
        if not trial.works:
            return _describe_useless_sandbox(trial.reasons)
        if trial.walls != first.walls:
            inputs = replace(inputs, sandbox=trial)
            return run_baseline_tests(replace(runs, trial=replace(runs.trial, inputs=inputs)))
    concerns = tuple(report_sandbox_failures(first.red))
    return PassToPass(False, "pass-to-pass: the checks pass in the project only", concerns)


def _try_walls(runs: SandboxRuns, checks: Sequence[Check]) -> WallTrial:
    """Find the walls with which the baseline does in a sandbox what it did outside."""
    files = take_tree(runs.comparison, current=False)

    def run(walls: tuple[Wall, ...]) -> SandboxRunResult:
        inputs = replace(runs.trial.inputs, sandbox=WallTrial(works=True, walls=walls))
        trial = replace(runs.trial, inputs=inputs)
        result = run_in_sandbox(trial, runs.comparison, files, checks)
        return SandboxRunResult(
            results=result.results, walls=result.walls, unproved=result.unproved or result.fault
        )

    return find_walls(run, runs.evidence.baseline or ())


def _describe_useless_sandbox(reasons: tuple[str, ...]) -> PassToPass:
    text = "; ".join(reasons)
    return PassToPass(None, f"comparison only: the checks do not run in a sandbox ({text})")
