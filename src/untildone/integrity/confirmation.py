"""Green checks confirmed: compared with the baseline, and run again with its tests in a sandbox."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

from msgspec.structs import replace

from untildone.core.evidence import Concern, Evidence
from untildone.integrity.confirmation_inputs import ConfirmationInputs
from untildone.integrity.experiments.trial import RunChecks, Trial
from untildone.integrity.registry import EXPERIMENTS, find_concerns, find_environment_concerns
from untildone.syntax.parsing import forget_parsed


def confirm(evidence: Evidence, inputs: ConfirmationInputs, run: RunChecks) -> Evidence:
    """Return the evidence with the concerns found, and with what was proved about the checks."""
    if inputs.broken:
        return replace(evidence, broken_seal=inputs.broken)
    comparison = inputs.comparison
    evidence = replace(evidence, concerns=find_concerns(comparison) if comparison else ())
    with ThreadPoolExecutor(max_workers=1) as pool:
        trial = Trial(
            inputs=inputs,
            run=run,
            compare_environment=cache(lambda: pool.submit(_find_environment_concerns, inputs)),
        )
        for experiment in EXPERIMENTS:
            evidence = experiment(evidence, trial)
    forget_parsed()
    return evidence


def find_differences(inputs: ConfirmationInputs) -> tuple[Concern, ...]:
    """Return what comparing alone shows; nothing where there is no baseline to compare with."""
    if inputs.comparison is None:
        return ()
    return (*find_concerns(inputs.comparison), *_find_environment_concerns(inputs))


def _find_environment_concerns(inputs: ConfirmationInputs) -> tuple[Concern, ...]:
    return find_environment_concerns(inputs.comparison) if inputs.comparison else ()
