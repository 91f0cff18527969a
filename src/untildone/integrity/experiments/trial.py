"""What the experiments of one confirmation share."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeAlias

from msgspec import Struct

from untildone.core.check_results import CheckResult
from untildone.core.concerns import find_unapproved
from untildone.core.contract import Check
from untildone.core.evidence import Concern, ConcernKind, Evidence
from untildone.integrity.baseline import read_baseline_time
from untildone.integrity.comparison import Comparison
from untildone.integrity.confirmation_inputs import ConfirmationInputs
from untildone.sandbox.sandboxes import Sandbox, SandboxSource

# Runs checks in a sandbox; the text says why they could not be finished.
RunChecks: TypeAlias = Callable[[Sequence[Check], Sandbox], tuple[tuple[CheckResult, ...], str]]

# A run of the baseline's own tests shows whether these took anything away.
PROVABLE = frozenset((ConcernKind.EDIT_TEST, ConcernKind.EDIT_EXPECTED))


class Trial(Struct, frozen=True, kw_only=True):
    """The inputs, the runner of checks, and the comparison of the environment in its own thread.

    `compare_environment` starts the thread at its first call.
    """

    inputs: ConfirmationInputs
    run: RunChecks
    compare_environment: Callable[[], Future[tuple[Concern, ...]]]

    @property
    def comparison(self) -> Comparison | None:
        return self.inputs.comparison

    def find_unapproved(self, evidence: Evidence) -> tuple[Concern, ...]:
        return find_unapproved(evidence, self.inputs.contract.allow)

    def is_provable(self, evidence: Evidence) -> bool:
        """Whether a run could settle every concern that the user has not approved."""
        return all(concern.kind in PROVABLE for concern in self.find_unapproved(evidence))


Experiment: TypeAlias = Callable[[Evidence, Trial], Evidence]


def make_sandbox_source(inputs: ConfirmationInputs, comparison: Comparison) -> SandboxSource:
    baseline = comparison.baseline
    return SandboxSource(
        project=inputs.project,
        ignored=baseline.ignored,
        environ=dict(os.environ),
        at_start=baseline.variables | inputs.python_path,
        since=read_baseline_time(inputs.baseline_folder),
    )
