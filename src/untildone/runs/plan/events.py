"""What happens in a plan run beside what happens in the runs of its tasks."""

from untildone.agents.headless import ClientFault, RunEvent
from untildone.core.verdict import Outcome
from untildone.runs.plan.journal import Step


class PlanStarted(RunEvent, frozen=True, kw_only=True, tag="plan-started"):
    """`branch` and `base` are empty where there is no git; `notices` are for the person."""

    plan: str
    feature: str
    branch: str
    base: str
    jobs: int
    tasks: tuple[str, ...]
    notices: tuple[str, ...]


class TaskBegan(RunEvent, frozen=True, kw_only=True, tag="task-began"):
    """Or goes on; `attempt` counts from 1, `evidence` is why a merge sent it back."""

    title: str
    attempt: int
    folder: str
    evidence: str


class TaskMerged(RunEvent, frozen=True, kw_only=True, tag="task-merged"):
    commit: str
    checks: tuple[str, ...]


class TaskSentBack(RunEvent, frozen=True, kw_only=True, tag="task-sent-back"):
    reason: str


class TaskSummary(RunEvent, frozen=True, kw_only=True, tag="task"):
    """`seconds` are those an agent or a check worked on it; `calls` those of its client."""

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
    # What kept its agent from working, where that ended it.
    fault: ClientFault | None


class PlanEnded(RunEvent, frozen=True, kw_only=True, tag="plan-ended"):
    """`red` are the checks of the whole feature that failed."""

    outcome: Outcome
    reason: str
    exit_code: int
    branch: str
    commit: str
    red: tuple[str, ...]
    seconds: float
    tasks: tuple[TaskSummary, ...]
