"""What the queue holds, as commands print it: tasks, their steps, workers."""

from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from untildone.core.verdict import Outcome
from untildone.engine.request import StartOptions
from untildone.features.plans.plan import Task

# `merging`: its branch is pushed and waits to be merged; `ended`: it ended or paused without being
# done, and `retry` queues it again.
State: TypeAlias = Literal["queued", "running", "merging", "done", "ended", "cancelled"]
OPEN_STATES: tuple[State, ...] = ("queued", "running", "merging")


class PlannedTask(Struct, frozen=True, kw_only=True):
    """A task of a plan file, whose text is in the options; `promise` replaces the evidence."""

    name: str
    promise: str
    task: Task


class NewTask(Struct, frozen=True, kw_only=True):
    """A task as it is added; `repository` is a URL or an absolute path."""

    repository: str
    options: StartOptions
    # A branch, tag or commit; empty for the default branch.
    base: str = ""
    # The agent it needs; empty for any.
    agent: str = ""
    labels: tuple[str, ...] = ()
    # Higher ones first.
    priority: int = 0
    # The tasks that must be done before it.
    after: tuple[str, ...] = ()
    # Where it comes from, such as the address of an issue.
    source: str = ""
    # The hash of the repository's configuration that the submitter trusts; empty for none.
    configuration: str = ""
    # A time, or how long from now such as `4h`; empty for none.
    deadline: str = ""
    # How often it is tried again after a fault that another try may cure.
    retries: int = 2
    # The branch that it is merged into; empty to leave that to others.
    into: str = ""
    plan: PlannedTask | None = None
    # Those added with it that must be done before it, by their places.
    after_new: tuple[int, ...] = ()


class QueueFailure(Struct, frozen=True, kw_only=True):
    """Why one attempt of a task failed."""

    attempt: int
    at: str
    worker: str
    reason: str


class QueueTask(Struct, frozen=True, kw_only=True):
    id: str
    task: str
    state: State
    repository: str
    base: str
    agent: str
    labels: tuple[str, ...]
    priority: int
    after: tuple[str, ...]
    # Those of `after` that are not done yet.
    waits_for: tuple[str, ...]
    source: str
    # The hash of the repository's configuration that the submitter trusts; empty for none.
    configuration: str
    attempt: int
    worker: str
    # A cancellation that its worker has not carried out yet.
    is_cancelling: bool
    outcome: Outcome | None
    reason: str
    branch: str
    commit: str
    # The branch that it is merged into, and the merge.
    into: str
    merge: str
    added_at: str
    updated_at: str
    # Why no worker takes it yet, beside `waits_for`: a limit, or the time before another try.
    waits: str = ""
    deadline: str = ""
    retries: int = 0
    # Retries that are used up.
    faults: int = 0
    # No retry is left; `failures` says why each attempt failed.
    is_dead: bool = False
    failures: tuple[QueueFailure, ...] = ()


class QueueStep(Struct, frozen=True, kw_only=True):
    """A recorded step; `token` counts the workers that had the task so far."""

    name: str
    at: str
    attempt: int
    token: int
    worker: str
    detail: str


class QueueWorker(Struct, frozen=True, kw_only=True):
    id: str
    host: str
    pid: int
    state: Literal["alive", "draining", "dead", "ended"]
    agents: tuple[str, ...]
    labels: tuple[str, ...]
    jobs: int
    started_at: str
    seen_at: str
    # One for each agent.
    accounts: tuple[str, ...] = ()


class QueueAccount(Struct, frozen=True, kw_only=True):
    """An account of an agent at its usage limit: its workers take no task of that agent."""

    name: str
    asleep_until: str
    reason: str


class QueueLimit(Struct, frozen=True, kw_only=True):
    """A limit and what is used of it; what is null is not limited."""

    kind: Literal["queue", "repository", "account"]
    # The address or the account; empty for the queue.
    name: str
    budget_usd: float | None
    # What the budget is for: a day or an hour in UTC, or all since the limit was set.
    period: Literal["", "day", "hour"]
    # Tasks that may be started in 60 minutes, and that may run at once.
    rate: int | None
    parallel: int | None
    spent_usd: float
    # What running tasks may still spend, by their own budgets.
    reserved_usd: float
    started: int
    running: int


class QueueLimits(Struct, frozen=True, kw_only=True):
    """The answer of `queue limit --json`."""

    limits: tuple[QueueLimit, ...]


class QueueAdded(Struct, frozen=True, kw_only=True):
    """The answer of `queue add --json`."""

    ids: tuple[str, ...]


class QueueList(Struct, frozen=True, kw_only=True):
    """The answer of `queue list --json`."""

    is_paused: bool
    tasks: tuple[QueueTask, ...]
    workers: tuple[QueueWorker, ...]
    # Those that sleep.
    accounts: tuple[QueueAccount, ...] = ()


class QueueDetails(Struct, frozen=True, kw_only=True):
    """The answer of `queue show --json`."""

    task: QueueTask
    # Those of the options of `start` that were given.
    options: dict[str, Any]
    steps: tuple[QueueStep, ...]
    rounds: int
    spend_usd: float | None
    receipt: str


class QueueChange(Struct, frozen=True, kw_only=True):
    """The answer of `queue cancel`, `retry`, `pause` and `drain` with `--json`."""

    changed: tuple[str, ...]
    note: str


class Course(Struct, frozen=True, kw_only=True):
    """What the steps of a task have found out so far; recorded after each of them."""

    base: str = ""
    commit: str = ""
    outcome: Outcome | None = None
    reason: str = ""
    rounds: int = 0
    spend_usd: float | None = None
    # The checks of the contract, as JSON.
    checks: str = "[]"
    receipt: str = ""
    branch: str = ""
    # What ended it if that says nothing about the work: see `retry_rules.py`.
    fault: str = ""
    # How long a usage limit lasts; 0 if unknown.
    limit_seconds: float = 0
    # The checks that were red before the agent worked: the target need not pass them without it.
    red_before: tuple[str, ...] = ()
    # The commit of the pushed receipt, and the merge.
    receipt_commit: str = ""
    merge: str = ""

    @property
    def is_over(self) -> bool:
        """Say whether the following steps are left out: the work is not done."""
        return self.outcome not in (None, "done", "claimed")


class Checkpoint(Struct, frozen=True, kw_only=True):
    """The work after a judged round: `commit` is pushed to `ref`, `note` is for the next agent."""

    ref: str
    commit: str
    rounds: int
    spend_usd: float | None
    note: str


class MergeEvidence(Struct, frozen=True, kw_only=True):
    """Why a merge sent a task back: it begins again at the commit `onto`, with the merged files.

    `checks` are those of the others, as JSON; `branch_commit` and `receipt_commit` were pushed.
    """

    reason: str
    onto: str
    conflicts: tuple[str, ...] = ()
    checks: str = "[]"
    branch_commit: str
    receipt_commit: str


def encode(value: Struct) -> str:
    return msgspec.json.encode(value).decode()


def decode_evidence(text: str) -> MergeEvidence | None:
    return msgspec.json.decode(text, type=MergeEvidence) if text else None


def decode_plan(text: str) -> PlannedTask | None:
    return msgspec.json.decode(text, type=PlannedTask) if text else None


def name_account(agent: str, account: str) -> str:
    """Return the account of an agent, as `claude:ann@host`."""
    return f"{agent}:{account}"


def get_branch(task: str) -> str:
    """Return the branch that the work of a task is pushed to."""
    return f"untildone/{task}"


def get_receipt_ref(task: str) -> str:
    return f"refs/untildone/receipts/{task}"


def get_work_ref(task: str, token: int, name: str) -> str:
    """Return where a worker stores what is not done yet.

    Each has a ref of its own: one that was pushed but not recorded replaces none that was.
    """
    return f"refs/untildone/work/{task}-{token}-{name}"


def get_work_pattern(task: str) -> str:
    return f"refs/untildone/work/{task}-*"
