"""What the experiments of one confirmation share: inputs, and how to run checks in a sandbox.

An experiment is a function that gets evidence and a `Trial` and returns the evidence with what it
found out, such as concerns that a run disproves.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol, TypeAlias

from msgspec import Struct, field

from untildone.core.check_results import CheckPhase, CheckResult
from untildone.core.concerns import is_allowed
from untildone.core.contract import Check
from untildone.core.evidence import Concern, ConcernKind, Evidence
from untildone.core.sandbox_trial import ALL_WALLS
from untildone.integrity.comparison import Comparison
from untildone.integrity.confirmation_inputs import ConfirmationInputs
from untildone.integrity.experiments.environment_thread import EnvironmentThread
from untildone.integrity.experiments.run_memory import RunMemory
from untildone.integrity.sandbox_sources import find_hidden_files, make_source
from untildone.sandbox.sandbox_source import Sandbox, SandboxSource

# The remembered runs of a check in the project, the newest at the end.
LoadPastRuns: TypeAlias = Callable[[Check], Sequence[CheckResult]]

# Concerns that a run of the baseline's own tests settles: if they pass, nothing was lost. What was
# not read has to be the baseline's in that run.
PROVABLE = frozenset((ConcernKind.EDIT_TEST, ConcernKind.EDIT_EXPECTED, ConcernKind.UNREAD))
# Concerns beside which such a run still proves something: it has the baseline's settings and tests.
_HARMLESS_TO_RUN = frozenset((ConcernKind.CONFIG, ConcernKind.SUPPRESSION, ConcernKind.REMOVE_TEST))


class RunChecks(Protocol):
    """Runs checks in a sandbox."""

    def __call__(
        self, checks: Sequence[Check], sandbox: Sandbox, *, phase: CheckPhase = "confirming"
    ) -> tuple[tuple[CheckResult, ...], str]:
        """Return the results, and an error text if the checks could not be finished."""


def _remember_nothing(_: Check) -> Sequence[CheckResult]:
    return ()


class Trial(Struct, frozen=True, kw_only=True):
    """What the experiments of one confirmation work with."""

    inputs: ConfirmationInputs
    run: RunChecks
    # Runs that are not repeated.
    memory: RunMemory = field(default_factory=RunMemory)
    load_past_runs: LoadPastRuns = _remember_nothing
    # Whether `done` needs a test that fails without the change.
    asks_for_tests: bool = False
    # Compares the environment while checks run.
    environment: EnvironmentThread

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
        """Say whether a run could settle a concern, or show that there is none.

        Not if every concern that the user has not approved will be asked about whatever a run
        shows, or if one is about what could make the run pass.
        """
        kinds = {concern.kind for concern in self.find_unapproved(evidence)}
        settles_some = not kinds or bool(kinds & PROVABLE)
        return settles_some and kinds <= PROVABLE | _HARMLESS_TO_RUN


Experiment: TypeAlias = Callable[[Evidence, Trial], Evidence]


def make_sandbox_source(inputs: ConfirmationInputs, comparison: Comparison) -> SandboxSource:
    """Return what a sandbox of the project is made from, with the baseline's surroundings."""
    return make_source(
        comparison.baseline,
        inputs.project,
        folder=inputs.baseline_folder,
        state_home=inputs.state_home,
        hidden_files=comparison.fact(
            partial(find_hidden_files_once, folder=inputs.baseline_folder),
            key=find_hidden_files_once,
        ),
        variables=inputs.python_path,
        walls=inputs.sandbox.walls or ALL_WALLS if inputs.sandbox else ALL_WALLS,
        was_possible=bool(inputs.sandbox and inputs.sandbox.walls),
    )


def find_hidden_files_once(comparison: Comparison, *, folder: Path) -> tuple[Path, ...]:
    """Return what no sandbox of this stop shows; its fact has this function as its key."""
    return find_hidden_files(comparison.baseline, comparison.new.root, folder=folder)
