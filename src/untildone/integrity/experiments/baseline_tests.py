"""The baseline's tests run on the current product, and the reason if they fail."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.baseline_comparison import compare_with_baseline
from untildone.core.check_results import BaselineResult, CheckResult
from untildone.core.contract import Check
from untildone.core.evidence import Concern, Evidence
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.alternatives import find_alternative, find_linted_tests
from untildone.integrity.experiments.failure_causes import find_causes, report_sandbox_failures
from untildone.integrity.experiments.python_path import add_moved_folders
from untildone.integrity.experiments.sandbox_files import take_tree
from untildone.integrity.experiments.trial import Trial, make_sandbox_source
from untildone.sandbox.sandboxes import SandboxFiles, open_sandbox

_NOT_FOUND = "No module named"
_PASS = "pass-to-pass: the baseline's tests pass on the new code"  # noqa: S105  not a password


class PassToPass(Struct, frozen=True):
    """The outcome: `passed` is None where the sandbox proves nothing either way."""

    passed: bool | None
    summary: str
    concerns: tuple[Concern, ...] = ()
    results: tuple[CheckResult, ...] = ()
    fault: str = ""
    # Test files of which a linter refuses the baseline's version, so the current one was taken.
    refused: frozenset[str] = frozenset()


class _SandboxRun(Struct, frozen=True):
    results: tuple[CheckResult, ...]
    fault: str = ""
    unproved: str = ""

    @property
    def red(self) -> tuple[CheckResult, ...]:
        return tuple(result for result in self.results if not result.green)

    @property
    def passed(self) -> bool:
        return bool(self.results) and not self.red and not self.fault


class SandboxRuns(Struct, frozen=True, kw_only=True):
    """Runs checks on different trees in the same surroundings."""

    evidence: Evidence
    trial: Trial
    comparison: Comparison

    def run(self, files: SandboxFiles, checks: Sequence[Check]) -> _SandboxRun:
        inputs = self.trial.inputs
        with open_sandbox(files, make_sandbox_source(inputs, self.comparison)) as sandbox:
            if sandbox.unproved:
                return _SandboxRun((), unproved=sandbox.unproved)
            self.trial.compare_environment()
            results, fault = self.trial.run(checks, sandbox)
        judged = replace(self.evidence, checks=results)
        compared = compare_with_baseline(inputs.contract, judged, strict=True)
        return _SandboxRun(compared.checks, fault)


def run_baseline_tests(runs: SandboxRuns) -> PassToPass:
    inputs = runs.trial.inputs
    checks = [check for check in inputs.contract.checks if check.replay]
    if not checks:
        return PassToPass(None, "comparison only: no check runs in the sandbox")
    first = runs.run(inputs.files, checks)
    if first.unproved or first.fault:
        return PassToPass(None, f"comparison only: {first.unproved}", fault=first.fault)
    if not first.red:
        return PassToPass(True, _PASS, results=first.results)
    red = {result.name for result in first.red}
    return _explain_failure(runs, first, [check for check in checks if check.name in red])


def _explain_failure(runs: SandboxRuns, first: _SandboxRun, checks: Sequence[Check]) -> PassToPass:
    """Find out whether the baseline's tests, the sandbox or chance made the checks fail."""
    inputs = runs.trial.inputs
    current = runs.run(take_tree(runs.comparison, current=True), checks)
    if current.fault:
        return PassToPass(None, "", fault=current.fault)
    if current.red:
        return _explain_red_project(runs, first, checks)
    again = runs.run(inputs.files, checks) if inputs.files.restored else current
    if again.fault or not again.red:
        summary = f"{_PASS}, the second time"
        return PassToPass(True, summary, results=again.results, fault=again.fault)
    if passed := _pass_otherwise(runs, again, checks):
        return passed
    concerns = tuple(find_causes(runs.comparison, inputs.files.restored, again.red))
    return PassToPass(False, "pass-to-pass: the baseline's tests fail on the new code", concerns)


def _pass_otherwise(
    runs: SandboxRuns, failed: _SandboxRun, checks: Sequence[Check]
) -> PassToPass | None:
    """Try what makes the baseline's tests pass without taking anything from them."""
    inputs = runs.trial.inputs
    baseline = runs.evidence.baseline or ()
    refused = find_linted_tests(runs.comparison.old, inputs.files.restored, failed.red, baseline)
    if refused and not runs.run(_use_current(runs, refused), checks).red:
        names = ", ".join(sorted(refused))
        return PassToPass(True, f"{_PASS}, but for findings in {names}", refused=refused)
    how = find_alternative(
        inputs,
        runs.comparison,
        runs.evidence,
        red=failed.red,
        passes=lambda files: runs.run(files, checks).passed,
    )
    if how:
        return PassToPass(True, f"{_PASS}, {how}")
    if _pass_with_usual_folders(runs, failed, checks):
        return PassToPass(True, f"{_PASS}, once led to it")
    return None


def _pass_with_usual_folders(
    runs: SandboxRuns, failed: _SandboxRun, checks: Sequence[Check]
) -> bool:
    """Where tests look for modules may change: the baseline's tests find the product itself."""
    if not all(_NOT_FOUND in result.output for result in failed.red):
        return False
    inputs = runs.trial.inputs
    path = add_moved_folders(runs.comparison, runs.comparison.baseline.variables, with_usual=True)
    trial = replace(runs.trial, inputs=replace(inputs, python_path=path))
    return replace(runs, trial=trial).run(inputs.files, checks).passed


def _use_current(runs: SandboxRuns, paths: frozenset[str]) -> SandboxFiles:
    files, new = runs.trial.inputs.files, runs.comparison.new
    current = {path: new.root / path for path in paths if path in new}
    restored = tuple(path for path in files.restored if path not in paths)
    return SandboxFiles({**files.files, **current}, restored)


def _explain_red_project(
    runs: SandboxRuns, first: _SandboxRun, checks: Sequence[Check]
) -> PassToPass:
    """The current tree fails in a sandbox: it counts only if the baseline does not fail there."""
    baseline = runs.run(take_tree(runs.comparison, current=False), checks)
    known = {result.name: result for result in runs.evidence.baseline or ()}
    if baseline.fault or not all(_is_as_known(result, known) for result in baseline.results):
        reasons = "; ".join(f"{result.name}: {result.reason}" for result in first.red)
        summary = f"comparison only: the checks do not run in the sandbox ({reasons})"
        return PassToPass(None, summary, fault=baseline.fault)
    concerns = tuple(report_sandbox_failures(first.red))
    return PassToPass(False, "pass-to-pass: the checks pass in the project only", concerns)


def _is_as_known(result: CheckResult, known: dict[str, BaselineResult]) -> bool:
    """Whether the sandbox shows of the baseline what the project itself showed."""
    then = known.get(result.name)
    if then is None or then.outcome != result.outcome:
        return False
    if result.green:
        return True
    before, now = then.tests, result.tests
    return bool(before and now and before.executed and before.executed == now.executed)
