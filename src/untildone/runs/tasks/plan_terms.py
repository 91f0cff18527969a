"""A task of a plan as the terms of a loop, for plan runs and the queue alike."""

from collections.abc import Iterable

from msgspec.structs import replace

from untildone.core.contract import Check
from untildone.core.plan_task import PlanTask
from untildone.engine.request import Request
from untildone.features.plans.plan import Task
from untildone.features.plans.task_checks import list_task_checks, merge_checks
from untildone.features.plans.task_loops import list_task_claims
from untildone.runs.tasks.merge_evidence import write_evidence


def write_task_text(name: str, task: Task, *, evidence: str = "") -> str:
    """Return the task as the agent reads it, with the evidence of a failed merge."""
    criteria = [f"- {text}" for text in (*task.acceptance_criteria, *task.testing)]
    parts = (
        f"{name}: {task.title}",
        write_evidence(evidence),
        task.prompt,
        "\n".join(("What must hold:", *criteria)) if criteria else "",
    )
    return "\n\n".join(part for part in parts if part)


def apply_plan_task(
    request: Request, name: str, task: Task, *, promise: str, others: Iterable[Check]
) -> Request:
    """Return the request with the task's checks beside `others`.

    Subjective criteria need the prompt's promise or evidence.
    """
    claims = list_task_claims(task)
    return replace(
        request,
        checks=merge_checks((*others, *list_task_checks(task))),
        claims=claims,
        done_when="both" if promise or claims else None,
        allow=task.allow,
        plan=PlanTask(task=name, promise=promise),
    )
