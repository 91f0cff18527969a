"""What the experiments of one confirmation share: inputs, and how to run checks in a sandbox.

An experiment is a function that gets evidence and a `Trial` and returns the evidence with what it
found out, such as concerns that a run disproves.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeAlias

from msgspec import Struct

from untildone.core.check_results import CheckResult
from untildone.core.concerns import is_allowed
from untildone.core.contract import Check
from untildone.core.evidence import Concern, ConcernKind, Evidence
from untildone.integrity.baseline import read_baseline_time
from untildone.integrity.comparison import Comparison
from untildone.integrity.confirmation_inputs import ConfirmationInputs
from untildone.sandbox.sandboxes import Sandbox, SandboxSource

# Runs checks in a sandbox. Returns their results, and an error text if they could not be finished.
RunChecks: TypeAlias = Callable[[Sequence[Check], Sandbox], tuple[tuple[CheckResult, ...], str]]

# Concerns that a run of the baseline's own tests settles: if they pass, nothing was lost.
PROVABLE = frozenset((ConcernKind.EDIT_TEST, ConcernKind.EDIT_EXPECTED))


class Trial(Struct, frozen=True, kw_only=True):
    """What the experiments of one confirmation work with."""

    inputs: ConfirmationInputs
    run: RunChecks
    # Starts, at its first call, a thread that compares the environment while checks run.
    compare_environment: Callable[[], Future[tuple[Concern, ...]]]

    @property
    def comparison(self) -> Comparison | None:
        """The comparison with the baseline; None if there is no baseline."""
        return self.inputs.comparison

    def find_unapproved(self, evidence: Evidence) -> list[Concern]:
        """Return the concerns that the user has not approved."""
        allow = self.inputs.contract.allow
        concerns = evidence.concerns or ()
        return [concern for concern in concerns if not is_allowed(concern, allow)]

    def is_provable(self, evidence: Evidence) -> bool:
        """Say whether a run could settle every concern that the user has not approved."""
        return all(concern.kind in PROVABLE for concern in self.find_unapproved(evidence))


Experiment: TypeAlias = Callable[[Evidence, Trial], Evidence]


def make_sandbox_source(inputs: ConfirmationInputs, comparison: Comparison) -> SandboxSource:
    """Return what a sandbox of the project is made from, with the baseline's variables."""
    baseline = comparison.baseline
    return SandboxSource(
        project=inputs.project,
        ignored=baseline.ignored,
        environ=dict(os.environ),
        baseline_environ=baseline.variables | inputs.python_path,
        since=read_baseline_time(inputs.baseline_folder),
    )
