"""Tasks of a plan as loops: what one agrees on, how far the plan says it is, what follows it."""

import hashlib
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.agent_message import MAX_CLAIMS
from untildone.core.contract import Bounds, Check, Claim, Contract, Speaker
from untildone.core.plan_task import PlanTask
from untildone.core.verdict import Outcome
from untildone.engine.context import Context
from untildone.engine.project_checks import checks_for
from untildone.engine.start import Request
from untildone.errors import UserError
from untildone.features.plans.document import (
    Document,
    change_plan,
    edit_status,
    read_plan,
    require_order,
    require_task,
)
from untildone.features.plans.files import PLAN_FILE, find_plan, list_plans
from untildone.features.plans.model import Plan, Task, TaskStatus
from untildone.features.plans.order import sort_by_dependency
from untildone.features.plans.trust import is_trusted
from untildone.features.plans.verification import (
    find_promise,
    list_review_criteria,
    list_task_checks,
    merge_checks,
)
from untildone.store.encoding import encode
from untildone.store.loops import Record

# A try, and as many again as usually tell whether a task can be done at all.
BOUNDS = Bounds(rounds=5)
_WHOLE = "the feature does what its tasks say"
_STATUS: dict[Outcome, TaskStatus] = {
    "done": "completed",
    "claimed": "completed",
    "cancelled": "not_started",
}


class TaskChoice(Struct, frozen=True, kw_only=True):
    """Which work, for whom: without `task` the whole feature, one task after another."""

    session: str
    project: Path
    plan: str = ""
    task: str = ""
    by: Speaker = "user"
    bounds: Bounds = BOUNDS


def build_task_request(context: Context, asked: TaskChoice) -> Request:
    """The person's word is enough to run the plan's commands, an agent's is not."""
    document = require_order(read_plan(find_named_plan(asked.project, asked.plan)))
    if asked.by == "agent" and not is_trusted(context, document.path, document.plan):
        raise UserError(
            f"what `{document.path}` would run is not trusted",
            hint="ask the person for `untildone trust --plan`, or to type the command",
        )
    left = _left(document.plan)
    name = require_task(document, asked.task) if asked.task else next(iter(left), "")
    _can_begin(document, name)
    plan = PlanTask(
        path=str(document.path),
        task=name,
        feature=not asked.task,
        rest=() if asked.task else left[1:],
        sha256=_agreed_on(document.plan),
    )
    return _request(context, asked, plan=document.plan, at=plan)


def find_named_plan(project: Path, named: str) -> Path:
    """By its file, its folder or its feature; the only one there is where it is not named."""
    if not named:
        return find_plan(project)
    given = project / named
    for path in (given, given / PLAN_FILE):
        if path.is_file():
            return path
    found = [
        path
        for path in list_plans(project)
        if named in (path.parent.name, read_plan(path).plan.feature)
    ]
    if len(found) == 1:
        return found[0]
    raise UserError(f"`{named}` is no plan of `{project}`", hint="name its TASKS.json")


def _left(plan: Plan) -> tuple[str, ...]:
    """In order; what was begun and not finished comes first."""
    unfinished = [
        name for name in sort_by_dependency(plan.tasks) if plan.tasks[name].status != "completed"
    ]
    return tuple(sorted(unfinished, key=lambda name: plan.tasks[name].status != "in_progress"))


def _can_begin(document: Document, name: str) -> None:
    if not name:
        return
    tasks = document.plan.tasks
    if tasks[name].status == "completed":
        raise UserError(
            f"`{name}` is completed", hint=f"`untildone plan set-status {name} not_started`"
        )
    needed = [other for other in tasks[name].depends_on if tasks[other].status != "completed"]
    if needed:
        raise UserError(f"`{name}` waits for `{needed[0]}`", hint="`untildone plan next` tells")
    edit_status(document, name, "in_progress")


def _agreed_on(plan: Plan) -> str:
    """Of what the tasks ask for: how far they are changes all the time."""
    asks = {
        name: replace(task, status="not_started", worker="") for name, task in plan.tasks.items()
    }
    return hashlib.sha256(encode(asks)).hexdigest()


def _request(context: Context, asked: TaskChoice, *, plan: Plan, at: PlanTask) -> Request:
    task = plan.tasks[at.task] if at.task else _whole(plan)
    return Request(
        session=asked.session,
        project=asked.project,
        task=_told(at.name, task),
        checks=merge_checks(
            (*load_project_checks(context, asked.project), *list_task_checks(task))
        ),
        claims=list_task_claims(task),
        done_when="both",
        bounds=asked.bounds,
        allow=task.allow if asked.by == "user" else (),
        by=asked.by,
        plan=replace(at, promise=find_promise(task)),
    )


def load_project_checks(context: Context, project: Path) -> tuple[Check, ...]:
    """Those it has by itself, which hold beside what a task asks for; there may be none."""
    try:
        return checks_for(context, project, "")
    except UserError:
        return ()


def list_task_claims(task: Task) -> tuple[Claim, ...]:
    """What needs a reader; the title where the task says nothing else that could be verified."""
    names = list_review_criteria(task) or (() if list_task_checks(task) else (task.title,))
    return tuple(Claim(name=name, verification="review") for name in names)


def _whole(plan: Plan) -> Task:
    """The feature as one more task: everything that is checked, every requirement that is named."""
    tasks = plan.tasks.values()
    refs = tuple(dict.fromkeys(ref for task in tasks for ref in task.prd_refs))
    criteria = tuple(f"{ref} is implemented" for ref in refs)
    return Task(
        title=f"The feature `{plan.feature}` as a whole" if plan.feature else "The whole feature",
        acceptance_criteria=criteria if 0 < len(criteria) <= MAX_CLAIMS else (_WHOLE,),
        checks=tuple(check for task in tasks for check in list_task_checks(task)),
        allow=tuple(dict.fromkeys(allowed for task in tasks for allowed in task.allow)),
        prompt="Every task is implemented. Look at the feature as a whole, as its requirements and"
        " its design have it; mend what is missing between the tasks. The subagent"
        " planning-validator gives the verdict.",
    )


def _told(name: str, task: Task) -> str:
    parts = [f"{name}: {task.title}", task.prompt.strip()]
    for title, lines in (
        ("Acceptance criteria", task.acceptance_criteria),
        ("Testing", task.testing),
        ("Requirements (PRD.md)", task.prd_refs),
        ("Design (SDD.md)", task.sdd_refs),
    ):
        if lines:
            parts.append("\n".join((f"{title}:", *(f"- {line}" for line in lines))))
    return "\n\n".join(filter(None, parts))


def mark_in_progress(contract: Contract) -> tuple[str, ...]:
    """The plan says that the task is in progress; why not, where it could not be written."""
    return _with_status(contract, "in_progress")


def mark_outcome(record: Record) -> tuple[str, ...]:
    """A finished loop completes its task, or gives it back; a paused one keeps it."""
    status = _STATUS.get(record.progress.outcome) if record.progress.outcome else None
    return _with_status(record.contract, status) if status else ()


def _with_status(contract: Contract, status: TaskStatus) -> tuple[str, ...]:
    plan = contract.plan
    if plan is None or not plan.task or not plan.path:
        return ()
    try:
        change_plan(Path(plan.path), lambda found: edit_status(found, plan.task, status))
    except (UserError, OSError) as error:
        return (
            f"`{plan.task}` is {status.replace('_', ' ')}, but the plan was not changed: {error}",
        )
    return ()


def build_next_request(context: Context, ended: Record, at: PlanTask) -> Request:
    """The next task of a feature, or its verdict, if the plan still asks for what was agreed."""
    contract = ended.contract
    document = require_order(read_plan(Path(at.path)))
    if _agreed_on(document.plan) != at.sha256:
        raise UserError(
            f"`{at.path}` asks for something else than when its first task began",
            hint="look at it, then `/untildone:implement-feature` goes on with it",
        )
    asked = TaskChoice(
        session=context.session_of(ended).id,
        project=Path(contract.project),
        by=contract.started_by,
        bounds=contract.bounds,
    )
    next_one = replace(at, task=next(iter(at.rest), ""), rest=at.rest[1:])
    request = _request(context, asked, plan=document.plan, at=next_one)
    return replace(request, after=contract.id)
