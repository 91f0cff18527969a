"""`status --json`: the loops as scripts read them."""

from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.core.check_results import CheckPhase, Totals
from untildone.core.progress import Status
from untildone.core.verdict import Outcome
from untildone.store.loops import UnreadableLoop

Held: TypeAlias = bool | Literal["unknown"]


class RunningStatus(Struct, frozen=True, kw_only=True):
    """The check that runs right now, since how many seconds, and how long it will take."""

    check: str
    phase: CheckPhase
    seconds: float
    expected_seconds: float | None = None


class LastVerdict(Struct, frozen=True, kw_only=True):
    """How the last judged stop ended: `held`, `done` or the name of the pause, and why."""

    round: int
    at: str
    verdict: str
    reason: str = ""


class LoopStatus(Struct, frozen=True, kw_only=True):
    id: str
    agent: str
    session: str
    project: str
    task: str
    status: Status
    outcome: Outcome | None
    round: int
    max_rounds: int
    unmet: tuple[str, ...]
    held: Held
    last_event_at: str | None
    spend_usd: float | None
    started_at: str
    updated_at: str
    reason: str = ""
    not_held_because: str = ""
    # 0 is no bound.
    budget_usd: float = 0
    minutes: float = 0
    max_minutes: float = 0
    # Why the spend, or a part of it, is unknown.
    spend_unknown_because: str = ""
    # A line about configuration of the project that is ignored because it is not trusted.
    ignored_configuration: str = ""
    running: RunningStatus | None = None
    # What the loop asks you, with a few lines of each change, as lines of text.
    questions: tuple[str, ...] = ()
    # Findings and tests on the baseline and in the last round; None: not counted.
    baseline_totals: Totals | None = None
    totals: Totals | None = None
    # By how many per cent there are fewer failures than in the baseline; None: not known.
    improved: int | None = None
    last_verdict: LastVerdict | None = None
    # What you have to do so that the loop goes on; empty if nothing.
    needs_you: str = ""


class StatusReport(Struct, frozen=True, kw_only=True):
    """Loops whose files are damaged are listed as unreadable, never left out."""

    loops: tuple[LoopStatus, ...]
    unreadable: tuple[UnreadableLoop, ...] = ()
    # Automatic mode is on: it also holds turns without a loop if their edits bring errors.
    automatic: bool = False
