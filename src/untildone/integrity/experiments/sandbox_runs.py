"""Runs of checks in sandboxes: as a whole, with the affected tests first, or these alone."""

from collections.abc import Sequence
from functools import partial
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.affected_tests import ProjectFiles
from untildone.core.baseline_comparison import judge_results
from untildone.core.contract import Check
from untildone.core.evidence import Evidence
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.affected_selection import select_affected
from untildone.integrity.experiments.run_memory import describe_surroundings, make_key
from untildone.integrity.experiments.sandbox_results import SandboxRun, has_failing_tests
from untildone.integrity.experiments.trial import RunChecks, Trial, make_sandbox_source
from untildone.sandbox.sandbox_source import Sandbox, SandboxFiles, SandboxSource
from untildone.sandbox.sandboxes import open_sandbox

# Which part of the checks runs. With "affected first" nothing else runs if an affected test fails.
Extent: TypeAlias = Literal["whole", "affected first", "affected"]


def run_in_sandbox(
    trial: Trial, comparison: Comparison, files: SandboxFiles, checks: Sequence[Check]
) -> SandboxRun:
    """Run the checks in a sandbox with these files, unless such a run is remembered."""
    source = make_sandbox_source(trial.inputs, comparison)
    surroundings = describe_surroundings(source, comparison)
    key = make_key(comparison, files.files, checks, "whole", *surroundings)
    if known := trial.memory.find(key):
        return known
    run = run_now(files, source, checks, trial.run)
    trial.memory.add(key, run)
    return run


def run_now(
    files: SandboxFiles, source: SandboxSource, checks: Sequence[Check], run: RunChecks
) -> SandboxRun:
    """Run the checks in a new sandbox with these files."""
    with open_sandbox(files, source) as sandbox:
        if sandbox.unproved or sandbox.fault:
            return SandboxRun((), sandbox.fault, sandbox.unproved)
        results, fault = run(checks, sandbox)
        return SandboxRun(results, fault, walls=sandbox.walls)


class SandboxRuns(Struct, frozen=True, kw_only=True):
    """Runs checks on different trees in the same environment."""

    evidence: Evidence
    trial: Trial
    comparison: Comparison
    extent: Extent = "whole"

    def run(self, files: SandboxFiles, checks: Sequence[Check]) -> SandboxRun:
        """Run the checks in a sandbox with these files, and compare with the baseline's results.

        A run that is remembered is not repeated.
        """
        source = make_sandbox_source(self.trial.inputs, self.comparison)
        surroundings = describe_surroundings(source, self.comparison)
        make = partial(make_key, self.comparison, files.files, checks)
        key, whole_key = make(self.extent, *surroundings), make("whole", *surroundings)
        keys = (key, whole_key) if self.extent == "affected first" else (key,)
        run = self.trial.memory.find(*keys)
        if run is None:
            run = self._run_now(files, checks, source)
            ran_whole = self.extent != "affected" and not run.failed_early and not run.affected
            self.trial.memory.add(whole_key if ran_whole else key, run)
        return self._judge(run)

    def _run_now(
        self, files: SandboxFiles, checks: Sequence[Check], source: SandboxSource
    ) -> SandboxRun:
        with open_sandbox(files, source) as sandbox:
            if sandbox.unproved or sandbox.fault:
                return SandboxRun((), sandbox.fault, sandbox.unproved)
            early = self._run_affected(files, checks, sandbox)
            if early.fault or early.failed_early or self.extent == "affected":
                return early
            remaining = [check for check in checks if check.name not in early.affected]
            results, fault = self.trial.run(remaining, sandbox)
        results = (*early.results, *results)
        return replace(early, results=results, fault=fault, walls=sandbox.walls)

    def _judge(self, run: SandboxRun) -> SandboxRun:
        """Return the run with the results of whole checks compared with the baseline's."""
        if run.failure or run.failed_early or self.extent == "affected":
            return run
        affected = tuple(result for result in run.results if result.name in run.affected)
        whole = tuple(result for result in run.results if result.name not in run.affected)
        evidence = replace(self.evidence, checks=whole)
        judged = judge_results(self.trial.inputs.contract, evidence, strict=True)
        return replace(run, results=(*affected, *judged.checks))

    def _run_affected(
        self, files: SandboxFiles, checks: Sequence[Check], sandbox: Sandbox
    ) -> SandboxRun:
        """Run the affected tests; of those that pass, keep the ones that are enough."""
        if self.extent == "whole":
            return SandboxRun(())
        project = ProjectFiles(sandbox.written_project, files.files)
        found = select_affected(checks, self.evidence, self.trial, project)
        selected = {affected.check.name: affected for affected in found}
        runs = [affected.check for affected in selected.values()]
        results, fault = self.trial.run(runs, sandbox, phase="affected")
        if self.extent == "affected":
            return SandboxRun(results, fault)
        failed = tuple(filter(has_failing_tests, results))
        if fault or failed:
            return SandboxRun(failed, fault, failed_early=bool(failed))
        enough = [
            result
            for result in results
            if result.green and selected[result.name].check.confirm == "affected"
        ]
        names = {result.name: selected[result.name] for result in enough}
        return SandboxRun(tuple(enough), affected=names)
