"""What the experiments of one confirmation share."""

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

    def find_unapproved(self, evidence: Evidence) -> list[Concern]:
        allow = self.inputs.contract.allow
        return [each for each in evidence.concerns or () if not is_allowed(each, allow)]

    def is_provable(self, evidence: Evidence) -> bool:
        """Say whether a run could settle every concern that the user has not approved."""
        return all(each.kind in PROVABLE for each in self.find_unapproved(evidence))


Experiment: TypeAlias = Callable[[Evidence, Trial], Evidence]


def make_sandbox_source(inputs: ConfirmationInputs, comparison: Comparison) -> SandboxSource:
    baseline = comparison.baseline
    return SandboxSource(
        project=inputs.project,
        ignored=baseline.ignored,
        environ=dict(os.environ),
        baseline_environ=baseline.variables | inputs.python_path,
        since=read_baseline_time(inputs.baseline_folder),
    )
