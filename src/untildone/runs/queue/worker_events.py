"""Events of a worker beside those of its loops: shown to the user, printed by `--json`."""

from untildone.agents.headless import RunEvent
from untildone.core.verdict import Outcome
from untildone.runs.queue.values import State


class WorkerStarted(RunEvent, frozen=True, kw_only=True, tag="worker-started"):
    worker: str
    pid: int
    database: str
    agents: tuple[str, ...]
    labels: tuple[str, ...]
    jobs: int


class WorkerDraining(RunEvent, frozen=True, kw_only=True, tag="worker-draining"):
    reason: str


class WorkerBuried(RunEvent, frozen=True, kw_only=True, tag="worker-buried"):
    """Another worker was silent for too long; its tasks can be taken."""

    worker: str


class TaskTaken(RunEvent, frozen=True, kw_only=True, tag="task-taken"):
    title: str
    repository: str
    # Another worker had this attempt before.
    is_taken_over: bool


class TaskEnded(RunEvent, frozen=True, kw_only=True, tag="task-ended"):
    state: State
    outcome: Outcome
    reason: str
    branch: str
    commit: str


class TaskReturned(RunEvent, frozen=True, kw_only=True, tag="task-returned"):
    """The task is queued again: after a fault, or because the account is at its usage limit."""

    reason: str


class TaskFailed(RunEvent, frozen=True, kw_only=True, tag="task-failed"):
    """An error of ours, which the database does not get."""

    error: str


class WorkerEnded(RunEvent, frozen=True, kw_only=True, tag="worker-ended"):
    worker: str
    reason: str
    exit_code: int


class DatabaseAway(RunEvent, frozen=True, kw_only=True, tag="database-away"):
    """The database has not answered for some seconds; it is asked again until the lease ends."""

    reason: str


class DatabaseBack(RunEvent, frozen=True, kw_only=True, tag="database-back"):
    # For how long it was away.
    seconds: float
