"""Confirms checks that pass: compares the tree with the baseline, then runs the experiments.

An agent that deleted a failing test has passing checks too. The comparison reports the deletion,
and an experiment runs the baseline's tests on the current code in a sandbox.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

from msgspec.structs import replace

from untildone.core.evidence import Concern, Evidence
from untildone.integrity.comparison import Comparison
from untildone.integrity.confirmation_inputs import ConfirmationInputs
from untildone.integrity.differences import add_differences
from untildone.integrity.experiments.environment_thread import EnvironmentThread
from untildone.integrity.experiments.expected_runs import begin_expected_runs
from untildone.integrity.experiments.run_memory import RunMemory
from untildone.integrity.experiments.runs_ahead import RunsAhead
from untildone.integrity.experiments.trial import LoadPastRuns, RunChecks, Trial
from untildone.integrity.registry import EXPERIMENTS, find_concerns, find_environment_concerns
from untildone.integrity.tests.added_lines import find_concerns_about_additions
from untildone.syntax.parsing import forget_parsed
from untildone.worktree.limits import Budget, LimitExceeded


def confirm(
    evidence: Evidence,
    inputs: ConfirmationInputs,
    run: RunChecks,
    *,
    load_past_runs: LoadPastRuns,
    memory: RunMemory | None = None,
    asks_for_tests: bool = False,
) -> Evidence:
    """Return the evidence with the concerns found, and with what the experiments showed.

    `run` runs checks in a sandbox, `load_past_runs` returns their earlier runs in the project. Runs
    that are in the `memory` are not repeated.
    With `asks_for_tests` a test must fail without the change.
    """
    if inputs.damage:
        return replace(evidence, broken_seal=inputs.damage)
    comparison = inputs.comparison
    changed = bool(comparison.changes.list_paths()) if comparison else None
    evidence = replace(evidence, concerns=_find_concerns(comparison), changed=changed)
    with _open_environment_thread(comparison) as environment:
        trial = Trial(
            inputs=inputs,
            run=run,
            memory=memory or RunMemory(),
            asks_for_tests=asks_for_tests,
            load_past_runs=load_past_runs,
            environment=environment,
        )
        for experiment in EXPERIMENTS:
            evidence = experiment(evidence, trial)
    forget_parsed()
    if evidence.concerns and comparison:
        evidence = replace(evidence, concerns=_explain(evidence.concerns, comparison))
    return evidence


def compare_files(inputs: ConfirmationInputs) -> None:
    """Find the concerns about files, which `confirm` then need not look for."""
    _find_concerns(inputs.comparison)


def begin_runs(
    evidence: Evidence,
    inputs: ConfirmationInputs,
    run: RunChecks,
    *,
    memory: RunMemory,
    ahead: RunsAhead,
    asks_for_tests: bool,
) -> None:
    """Begin the runs that `confirm` will need if the checks pass.

    The environment is not compared here: it is, once the checks have ended.
    """
    comparison = inputs.comparison
    if inputs.damage or comparison is None:
        return
    with _open_environment_thread(comparison) as environment:
        trial = Trial(
            inputs=inputs,
            run=run,
            memory=memory,
            asks_for_tests=asks_for_tests,
            environment=environment,
        )
        begin_expected_runs(trial, ahead, evidence)


@contextmanager
def _open_environment_thread(comparison: Comparison | None) -> Iterator[EnvironmentThread]:
    """Yield the comparison of the environment, which begins once it is started."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield EnvironmentThread(
            partial(find_environment_concerns, comparison),
            comparison.budget if comparison else Budget(),
            pool,
        )


def _find_concerns(comparison: Comparison | None) -> tuple[Concern, ...]:
    return comparison.fact(find_concerns) if comparison else ()


def _explain(concerns: tuple[Concern, ...], comparison: Comparison) -> tuple[Concern, ...]:
    """Return the concerns with the parts of files that differ, if these are found in time."""
    try:
        return comparison.read_within_budget(partial(add_differences, concerns))
    except LimitExceeded:
        return concerns


def find_differences(inputs: ConfirmationInputs) -> tuple[Concern, ...]:
    """Return every concern that needs no experiment."""
    comparison = inputs.comparison
    if comparison is None:
        return ()
    return (
        *find_concerns(comparison),
        *comparison.fact(find_concerns_about_additions),
        *find_environment_concerns(comparison),
    )
