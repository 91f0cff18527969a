"""Events of a plan run beside those of the runs of its tasks."""

from untildone.agents.headless import ClientFault, RunEvent
from untildone.core.verdict import Outcome
from untildone.runs.plan.plan_journal import Step


class PlanStarted(RunEvent, frozen=True, kw_only=True, tag="plan-started"):
    """`branch` and `base` are empty without git; `notices` are for the user."""

    plan: str
    feature: str
    branch: str
    base: str
    jobs: int
    tasks: tuple[str, ...]
    notices: tuple[str, ...]


class TaskBegan(RunEvent, frozen=True, kw_only=True, tag="task-began"):
    """A task started or resumed; `evidence` says why a merge sent it back."""

    title: str
    attempt: int
    folder: str
    evidence: str


class TaskSummary(RunEvent, frozen=True, kw_only=True, tag="task"):
    """`seconds` counts the work of agent and checks, `calls` the calls of the client."""

    id: str
    title: str
    step: Step
    outcome: Outcome | None
    reason: str
    rounds: int
    calls: int
    spend_usd: float | None
    seconds: float
    loop: str
    # The failure of the client that ended the task, if any.
    fault: ClientFault | None


class PlanEnded(RunEvent, frozen=True, kw_only=True, tag="plan-ended"):
    """`red` lists the failed checks of the whole feature."""

    outcome: Outcome
    reason: str
    exit_code: int
    branch: str
    commit: str
    red: tuple[str, ...]
    seconds: float
    tasks: tuple[TaskSummary, ...]
