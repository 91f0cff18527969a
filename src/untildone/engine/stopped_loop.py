"""The values that the steps of a stop pass on to each other.

A `StoppedLoop` is judged, which makes it a `JudgedStop`; from that an `Answer` is built.
"""

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
    """A loop at a stop, not judged yet.

    `record` is the loop as it was loaded; `progress` has also what the agent reported since.
    """

    record: Record
    # With all amendments, those that the agent reported since included.
    contract: Contract
    progress: Progress
    stop: Stop
    calls: Calls
    # The project's folder in the worktree where the agent works.
    project: Path


class JudgedStop(StoppedLoop, frozen=True, kw_only=True):
    """The loop with the evidence and the verdict of this stop.

    `progress` does not count this stop yet: its `round` is the number of rounds before.
    """

    evidence: Evidence
    verdict: Verdict
    # What a held agent is told, before a feature or the client changes it.
    feedback: str = ""


class Answer(Struct, frozen=True, kw_only=True):
    """The verdict with feedback for the agent and a notice for the user."""

    verdict: Verdict
    feedback: str = ""
    notice: str = ""
