"""Confirms checks that pass: compares the tree with the baseline, then runs the experiments.

An agent that deleted a failing test has passing checks too. The comparison reports the deletion,
and an experiment runs the baseline's tests on the current code in a sandbox.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

from msgspec.structs import replace

from untildone.core.evidence import Concern, Evidence
from untildone.integrity.confirmation_inputs import ConfirmationInputs
from untildone.integrity.experiments.trial import RunChecks, Trial
from untildone.integrity.registry import EXPERIMENTS, find_concerns, find_environment_concerns
from untildone.syntax.parsing import forget_parsed


def confirm(evidence: Evidence, inputs: ConfirmationInputs, run: RunChecks) -> Evidence:
    """Return the evidence with the concerns found, and with what the experiments showed.

    `run` runs checks in a sandbox.
    """
    if inputs.damage:
        return replace(evidence, broken_seal=inputs.damage)
    comparison = inputs.comparison
    changed = bool(comparison.changes.list_paths()) if comparison else None
    evidence = replace(evidence, concerns=find_concerns(comparison), changed=changed)
    with ThreadPoolExecutor(max_workers=1) as pool:
        trial = Trial(
            inputs=inputs,
            run=run,
            compare_environment=cache(lambda: pool.submit(find_environment_concerns, comparison)),
        )
        for experiment in EXPERIMENTS:
            evidence = experiment(evidence, trial)
    forget_parsed()
    return evidence


def find_differences(inputs: ConfirmationInputs) -> tuple[Concern, ...]:
    """Return every concern that needs no experiment."""
    comparison = inputs.comparison
    return (*find_concerns(comparison), *find_environment_concerns(comparison))
