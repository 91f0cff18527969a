"""The experiment: do the tests that the baseline passes still pass on the current product?"""

from collections.abc import Sequence

from msgspec.structs import replace

from untildone.commands.invoked_scripts import find_run_scripts
from untildone.core.concerns import strip_content_digest
from untildone.core.contract import Contract
from untildone.core.evidence import Concern, Evidence
from untildone.integrity.comparison import Comparison
from untildone.integrity.confirmation_inputs import ConfirmationInputs
from untildone.integrity.experiments.baseline_tests import (
    PassToPass,
    SandboxRuns,
    run_baseline_tests,
)
from untildone.integrity.experiments.trial import PROVABLE, Trial
from untildone.integrity.tests.inventory import may_hold_helpers


def run_experiment(evidence: Evidence, trial: Trial) -> Evidence:
    """Add what the run in the sandbox shows, and drop the concerns that it disproves.

    The environment is compared while the checks run.
    """
    comparison = trial.comparison
    if comparison is None:
        reason = f"not compared with the baseline: {trial.inputs.incomparable}"
        return replace(evidence, comparisons=(reason,))
    runs = SandboxRuns(evidence=evidence, trial=trial, comparison=comparison)
    result = run_baseline_tests(runs) if trial.is_provable(evidence) else None
    environment = trial.compare_environment().result()
    evidence = replace(evidence, concerns=(*(evidence.concerns or ()), *environment))
    if result is None or not trial.is_provable(evidence):
        return replace(
            evidence, comparisons=("compared with the baseline, not run in the sandbox",)
        )
    return _apply(result, evidence, trial.inputs, comparison)


def _apply(
    result: PassToPass, evidence: Evidence, inputs: ConfirmationInputs, comparison: Comparison
) -> Evidence:
    if result.fault:
        return replace(evidence, concerns=None, fault=evidence.fault or result.fault)
    proved = (result.summary, *_describe_tests(inputs), *_describe_left_out(inputs.contract))
    found = evidence.concerns or ()
    if result.passed is False:
        named = {concern.path for concern in found}
        more = tuple(concern for concern in result.concerns if concern.path not in named)
        return replace(evidence, concerns=(*found, *more), comparisons=proved)
    if result.passed and not inputs.files.restored:
        ran = {each.name for each in evidence.checks}
        missing = tuple(each for each in result.results if each.name not in ran)
        evidence = replace(evidence, checks=evidence.checks + missing)
    if result.passed and evidence.baseline:
        candidates = [each for each in found if each.path not in result.refused]
        candidates = _select_seen_by_run(candidates, evidence, inputs.contract, comparison)
        disproved = _select_disproved(candidates, inputs, comparison)
        proved += _describe_disproved(disproved)
        found = tuple(each for each in found if each not in disproved)
    return replace(evidence, concerns=found, comparisons=proved)


def _describe_tests(inputs: ConfirmationInputs) -> tuple[str, ...]:
    adapted = [path for path in inputs.adapted if path in inputs.files.restored]
    groups = (
        ("only follow the product to a new name, so taken as they are", inputs.followers),
        ("from the baseline, adapted to renamed names and removed marks", adapted),
    )
    return tuple(f"{how}: {', '.join(paths)}" for how, paths in groups if paths)


def _describe_left_out(contract: Contract) -> tuple[str, ...]:
    return tuple(
        f"`{check.name}` does not run in the sandbox: {check.replay_reason or 'by the user'}"
        for check in contract.checks
        if not check.replay
    )


def _describe_disproved(concerns: Sequence[Concern]) -> tuple[str, ...]:
    names = [strip_content_digest(each.id) for each in concerns]
    text = f"the baseline's tests pass, so these changes removed nothing: {', '.join(names)}"
    return (text,) if names else ()


def _select_seen_by_run(
    found: list[Concern], evidence: Evidence, contract: Contract, comparison: Comparison
) -> list[Concern]:
    """Without a test report a run shows only something about scripts it ran and that were red."""
    if any(result.tests for result in evidence.checks):
        return found
    red = {result.name for result in evidence.baseline or () if not result.green}
    checks = (check for check in contract.checks if check.replay and check.name in red)
    ran = {path for each in checks for _, path in find_run_scripts(comparison.old, each.command)}
    return [each for each in found if each.path in ran]


def _select_disproved(
    found: Sequence[Concern], inputs: ConfirmationInputs, comparison: Comparison
) -> list[Concern]:
    """Return what a passing run disproves; current test files prove nothing."""
    changes = comparison.changes
    differing = {*changes.edited, *changes.removed, *changes.added}
    current = {
        each for each in differing - set(inputs.files.restored) if comparison.role(each) == "test"
    }
    current_helper = any(may_hold_helpers(each) for each in current)
    return [
        each
        for each in found
        if each.kind in PROVABLE
        and each.path not in current
        and (each.path in differing or not current_helper)
    ]
