"""The values that the handling of a stop passes on: the loop, its verdict, the answer."""

from pathlib import Path

from msgspec import Struct

from untildone.agents.events import Stop
from untildone.core.contract import Contract
from untildone.core.evidence import Evidence
from untildone.core.progress import Progress
from untildone.core.verdict import Verdict
from untildone.engine.scope import Calls
from untildone.store.loops import Record


class StoppedLoop(Struct, frozen=True, kw_only=True):
    """A loop at a stop: `progress` has what the agent reported since the last one."""

    record: Record
    # With its amendments, those of this stop included.
    contract: Contract
    progress: Progress
    stop: Stop
    calls: Calls
    # The worktree that the agent works in.
    project: Path


class JudgedStop(StoppedLoop, frozen=True, kw_only=True):
    """The loop with the evidence and the verdict; `progress` is still that of before this stop."""

    evidence: Evidence
    verdict: Verdict


class Answer(Struct, frozen=True, kw_only=True):
    """The verdict with feedback for the agent and a notice for the user."""

    verdict: Verdict
    feedback: str = ""
    notice: str = ""
