"""The baseline's tests run on the current product, and the reason if they fail.

If they fail, more runs find out why: on the current tree as it is, on the baseline's tree, and a
second time, since tests may fail by chance.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.baseline_comparison import judge_results
from untildone.core.check_results import BaselineResult, CheckResult
from untildone.core.contract import Check
from untildone.core.evidence import Concern, Evidence
from untildone.core.text import join_first
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.alternatives import find_alternative, find_linted_tests
from untildone.integrity.experiments.failure_causes import find_causes, report_sandbox_failures
from untildone.integrity.experiments.python_path import add_moved_folders
from untildone.integrity.experiments.sandbox_files import take_tree
from untildone.integrity.experiments.trial import Trial, make_sandbox_source
from untildone.sandbox.sandboxes import SandboxFiles, open_sandbox

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


class _SandboxRun(Struct, frozen=True):
    """The results of checks in one sandbox, compared with those of the baseline."""

    results: tuple[CheckResult, ...]
    # A failure of untildone itself.
    fault: str = ""
    # Why the run proves nothing, as where the sandbox could not be made.
    unproved: str = ""

    @property
    def red(self) -> tuple[CheckResult, ...]:
        return tuple(result for result in self.results if not result.green)

    @property
    def passed(self) -> bool:
        """Whether checks ran and all of them are green."""
        return bool(self.results) and not self.red and not self.fault

    @property
    def failure(self) -> str:
        """Return why the run has no results, although a sandbox could be made before."""
        return self.fault or self.unproved


class SandboxRuns(Struct, frozen=True, kw_only=True):
    """Runs checks on different trees in the same environment."""

    evidence: Evidence
    trial: Trial
    comparison: Comparison

    def run(self, files: SandboxFiles, checks: Sequence[Check]) -> _SandboxRun:
        """Run the checks in a sandbox with these files, and compare with the baseline's results."""
        inputs = self.trial.inputs
        with open_sandbox(files, make_sandbox_source(inputs, self.comparison)) as sandbox:
            if sandbox.unproved:
                return _SandboxRun((), unproved=sandbox.unproved)
            self.trial.compare_environment()
            results, fault = self.trial.run(checks, sandbox)
        evidence = replace(self.evidence, checks=results)
        compared = judge_results(inputs.contract, evidence, strict=True)
        return _SandboxRun(compared.checks, fault)


def run_baseline_tests(runs: SandboxRuns) -> PassToPass:
    """Run the checks with the baseline's tests on the current product, and explain a failure."""
    inputs = runs.trial.inputs
    checks = [check for check in inputs.contract.checks if check.replay]
    if not checks:
        return PassToPass(None, "comparison only: no check runs in the sandbox")
    first = runs.run(inputs.files, checks)
    if first.unproved or first.fault:
        return PassToPass(None, f"comparison only: {first.unproved}", fault=first.fault)
    if not first.red:
        return PassToPass(True, _describe_pass(runs, first), results=first.results)
    red_names = {result.name for result in first.red}
    return _explain_failure(runs, first, [check for check in checks if check.name in red_names])


def _describe_pass(runs: SandboxRuns, run: _SandboxRun) -> str:
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
    return f"{_PASS}{exceptions}"


def _explain_failure(runs: SandboxRuns, first: _SandboxRun, checks: Sequence[Check]) -> PassToPass:
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
    concerns = tuple(find_causes(runs.comparison, inputs.files.restored, second.red))
    return PassToPass(False, "pass-to-pass: the baseline's tests fail on the new code", concerns)


def _find_harmless_cause(
    runs: SandboxRuns, failed: _SandboxRun, checks: Sequence[Check]
) -> PassToPass | None:
    """Return how the checks pass without weakening the baseline's tests; None if they do not."""
    inputs = runs.trial.inputs
    baseline = runs.evidence.baseline or ()
    linted = find_linted_tests(runs.comparison.old, inputs.files.restored, failed.red, baseline)
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


def _passes_with_usual_folders(
    runs: SandboxRuns, failed: _SandboxRun, checks: Sequence[Check]
) -> bool:
    """Say whether the checks pass once Python looks for modules in the project and in `src`.

    The baseline's settings may name folders in which the modules no longer are.
    """
    if not all(_MISSING_MODULE in result.output for result in failed.red):
        return False
    inputs = runs.trial.inputs
    python_path = add_moved_folders(
        runs.comparison, runs.comparison.baseline.variables, with_usual=True
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
    runs: SandboxRuns, first: _SandboxRun, checks: Sequence[Check]
) -> PassToPass:
    """Return the outcome where the current tree, as it is, fails in a sandbox too.

    A check that was green on the baseline and is red on the same tree in the sandbox needs
    something that a sandbox does not have: its failure there shows nothing. For any other check
    the user is asked.
    """
    baseline = runs.run(take_tree(runs.comparison, current=False), checks)
    if baseline.failure:
        return PassToPass(None, "", fault=baseline.failure)
    recorded = {result.name: result for result in runs.evidence.baseline or ()}
    unusable = {
        result.name
        for result in baseline.results
        if _shows_that_sandbox_lacks_something(result, recorded.get(result.name))
    }
    failures = tuple(result for result in first.red if result.name not in unusable)
    if not failures:
        reasons = "; ".join(f"{result.name}: {result.reason}" for result in first.red)
        return PassToPass(
            None, f"comparison only: the checks do not run in the sandbox ({reasons})"
        )
    concerns = tuple(report_sandbox_failures(failures))
    return PassToPass(False, "pass-to-pass: the checks pass in the project only", concerns)


def _shows_that_sandbox_lacks_something(
    result: CheckResult, recorded: BaselineResult | None
) -> bool:
    """Say whether a run of the baseline's tree in the sandbox went worse than in the project.

    It has no program, is red where it was green, or gets to no test where it got to some: the
    sandbox lacks a service, a file or a setting of this machine.
    """
    if result.outcome == "unrunnable":
        return True
    if recorded is None or result.green:
        return False
    ran_tests, runs_tests = (bool(run.tests and run.tests.executed) for run in (recorded, result))
    return recorded.green or (ran_tests and not runs_tests)
