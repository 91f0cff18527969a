"""Loops on the tasks of a plan: builds the request of a loop and updates the plan's file.

A loop is on one task (`implement-task`), or it is one of a chain of loops on all tasks of a
feature (`implement-feature`), the last of which is on the feature as a whole. When a loop
starts, its task becomes `in_progress`; when it ends well, `completed`.
"""

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.agent_message import MAX_CLAIMS
from untildone.core.contract import Bounds, Check, Claim, Contract, Speaker
from untildone.core.plan_task import PlanTask
from untildone.core.verdict import Outcome
from untildone.engine.context import Context, project_folder
from untildone.engine.project_checks import choose_checks
from untildone.engine.request import Request
from untildone.errors import UserError
from untildone.features.plans import plan_file, task_checks
from untildone.features.plans.editing import change_plan, edit_status
from untildone.features.plans.order import sort_by_dependency
from untildone.features.plans.plan import Plan, Task, TaskStatus
from untildone.store.encoding import encode
from untildone.store.lock import LockTimeoutError, hold_lock
from untildone.store.loops import Record

# One try and four more usually show whether a task can be done at all.
BOUNDS = Bounds(rounds=5)
# A start saves the tree, which a hook may do for less than 30 seconds.
_LOCK_SECONDS = 20
_WHOLE_FEATURE = "the feature does what its tasks say"
# A loop that ended in another way leaves its task in progress; "claimed" is an end by the agent's
# word alone.
_STATUS_AFTER: dict[Outcome, TaskStatus] = {
    "done": "completed",
    "claimed": "completed",
    "cancelled": "not_started",
}


class TaskChoice(Struct, frozen=True, kw_only=True):
    """What a user or agent asks to work on: one task of a plan, or all tasks without `task`."""

    session: str
    project: Path
    # The plan's file, folder or feature; without it the project's only plan.
    plan: str = ""
    task: str = ""
    by: Speaker = "user"
    bounds: Bounds = BOUNDS


def build_task_request(context: Context, choice: TaskChoice) -> Request:
    """Return the request of a loop on the chosen task, or on the feature's first unfinished one.

    A user may start a plan whose commands are not trusted yet, an agent may not.
    """
    document = plan_file.require_order(
        plan_file.read_plan(plan_file.find_named_plan(choice.project, choice.plan))
    )
    if choice.by == "agent" and not task_checks.is_trusted(context, document.path, document.plan):
        raise UserError(
            f"the commands of `{document.path}` are not trusted",
            hint="ask the user to run `untildone trust --plan`, or to type the command",
        )
    unfinished = _list_unfinished(document.plan)
    name = (
        plan_file.require_task(document, choice.task) if choice.task else next(iter(unfinished), "")
    )
    _require_startable(document, name)
    plan_task = PlanTask(
        path=str(document.path),
        task=name,
        feature=not choice.task,
        rest=() if choice.task else unfinished[1:],
        sha256=_digest_tasks(document.plan),
    )
    _require_no_other_loop(context, plan_task, str(choice.project))
    return _build_request(context, choice, plan=document.plan, plan_task=plan_task)


@contextmanager
def reserve_task(context: Context, contract: Contract) -> Iterator[None]:
    """Keep other sessions from starting a loop on a task of this project meanwhile.

    Raises UserError if a loop of another session is on the contract's task.
    """
    # Without a path a plan run gives out its tasks, which has a lock of its own.
    if contract.plan is None or not contract.plan.path:
        yield
        return
    folder = project_folder(context.home, Path(contract.project))
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with ExitStack() as lock:
        try:
            lock.enter_context(hold_lock(folder / "tasks.lock", timeout=_LOCK_SECONDS))
        except LockTimeoutError:
            raise UserError(
                "another session is starting a task of this project", hint="try again"
            ) from None
        _require_no_other_loop(context, contract.plan, contract.project)
        yield


def _list_unfinished(plan: Plan) -> tuple[str, ...]:
    """Return the tasks that are not completed by dependency; tasks in progress come first."""
    names = [
        name for name in sort_by_dependency(plan.tasks) if plan.tasks[name].status != "completed"
    ]
    return tuple(sorted(names, key=lambda name: plan.tasks[name].status != "in_progress"))


def _require_startable(document: plan_file.Document, name: str) -> None:
    """Raise UserError if the task is completed, blocked, or another is in progress."""
    # No task is left: the loop is on the feature as a whole.
    if not name:
        return
    tasks = document.plan.tasks
    if tasks[name].status == "completed":
        raise UserError(
            f"`{name}` is completed", hint=f"`untildone plan set-status {name} not_started`"
        )
    needed = [other for other in tasks[name].depends_on if tasks[other].status != "completed"]
    if needed:
        raise UserError(
            f"`{name}` waits for `{needed[0]}`", hint="`untildone plan next` shows what is ready"
        )
    # Raises UserError if another task is already in progress.
    edit_status(document, name, "in_progress")


def _require_no_other_loop(context: Context, wanted: PlanTask, project: str) -> None:
    """Raise UserError if a loop of another session is on the same task in the same folder."""
    for record in context.loops.list_all():
        if not isinstance(record, Record) or record.progress.status == "finished":
            continue
        contract = record.contract
        plan = contract.plan
        is_same = plan and (plan.path, plan.task) == (wanted.path, wanted.task)
        if is_same and contract.project == project:
            task = wanted.task or "the feature"
            raise UserError(
                f"loop `{contract.id}` of another session is on `{task}` already",
                hint=f"`untildone continue --here {contract.id}` takes it along,"
                f" `untildone cancel {contract.id}` ends it",
            )


def _digest_tasks(plan: Plan) -> str:
    """Return a hash by which a later loop of the feature notices that the tasks were changed.

    It leaves out status and worker, which change while the plan is carried out.
    """
    tasks = {
        name: replace(task, status="not_started", worker="") for name, task in plan.tasks.items()
    }
    return hashlib.sha256(encode(tasks)).hexdigest()


def _build_request(
    context: Context, choice: TaskChoice, *, plan: Plan, plan_task: PlanTask
) -> Request:
    """Return the request of a loop on the task, with its checks and the project's."""
    task = plan.tasks[plan_task.task] if plan_task.task else _build_feature_task(plan)
    return Request(
        session=choice.session,
        project=choice.project,
        task=_describe_task(plan_task.name, task),
        checks=task_checks.merge_checks(
            (*load_project_checks(context, choice.project), *task_checks.list_task_checks(task))
        ),
        claims=list_task_claims(task),
        done_when="both",
        bounds=choice.bounds,
        allow=task.allow if choice.by == "user" else (),
        by=choice.by,
        plan=replace(plan_task, promise=task_checks.find_promise(task)),
    )


def load_project_checks(context: Context, project: Path) -> tuple[Check, ...]:
    """Return the project's own checks, which run in addition to a task's; there may be none."""
    try:
        return choose_checks(context, project, "")
    except UserError:
        return ()


def list_task_claims(task: Task) -> tuple[Claim, ...]:
    """Return the criteria to review; the title if the task has neither criteria nor checks."""
    names = task_checks.list_review_criteria(task) or (
        () if task_checks.list_task_checks(task) else (task.title,)
    )
    return tuple(Claim(name=name, verification="review") for name in names)


def _build_feature_task(plan: Plan) -> Task:
    """Return the feature as one more task: with every check and requirement of its tasks."""
    tasks = plan.tasks.values()
    refs = tuple(dict.fromkeys(ref for task in tasks for ref in task.prd_refs))
    criteria = tuple(f"{ref} is implemented" for ref in refs)
    return Task(
        title=f"The feature `{plan.feature}` as a whole" if plan.feature else "The whole feature",
        acceptance_criteria=criteria if 0 < len(criteria) <= MAX_CLAIMS else (_WHOLE_FEATURE,),
        checks=tuple(check for task in tasks for check in task_checks.list_task_checks(task)),
        allow=tuple(dict.fromkeys(allowance for task in tasks for allowance in task.allow)),
        prompt="Every task is implemented. Compare the feature as a whole with its requirements"
        " and its design; fix what is missing between the tasks. The subagent"
        " `untildone-planning-validator` (of the plugin: `untildone:planning-validator`) gives the"
        " verdict.",
    )


def _describe_task(name: str, task: Task) -> str:
    """Return the task's title, prompt and lists as the text that the agent gets."""
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


def mark_outcome(record: Record) -> tuple[str, ...]:
    """Write the status that follows from the loop's end; return lines for the user.

    They say how far the plan is, or why the status could not be written. A loop that ended well
    completes its task, a cancelled one makes it `not_started` again; a paused one leaves it in
    progress.
    """
    status = _STATUS_AFTER.get(record.progress.outcome) if record.progress.outcome else None
    lines = write_status(record.contract, status) if status else ()
    return lines or _describe_progress(record)


def _describe_progress(record: Record) -> tuple[str, ...]:
    """Return how far the plan is after a task that ended well: `TASK-001 verified, 1 of 2`."""
    plan, outcome = record.contract.plan, record.progress.outcome
    if plan is None or not plan.task or not plan.path or outcome not in ("done", "claimed"):
        return ()
    try:
        tasks = plan_file.read_plan(Path(plan.path)).plan.tasks.values()
    except (UserError, OSError):
        return ()
    completed = sum(task.status == "completed" for task in tasks)
    how = "verified" if outcome == "done" else "claimed"
    return (f"{plan.task} {how}, {completed} of {len(tasks)}",)


def write_status(contract: Contract, status: TaskStatus) -> tuple[str, ...]:
    """Set the task's status in the plan; return a notice if that fails."""
    plan = contract.plan
    # Without a path the plan run that started the loop sets the status.
    if plan is None or not plan.task or not plan.path:
        return ()
    try:
        change_plan(Path(plan.path), lambda document: edit_status(document, plan.task, status))
    except (UserError, OSError) as error:
        return (
            f"`{plan.task}` is {status.replace('_', ' ')}, but the plan was not changed: {error}",
        )
    return ()


def build_next_request(context: Context, ended: Record, plan_task: PlanTask) -> Request:
    """Return the request that follows an ended loop of a feature.

    It is for the next task, or for the feature as a whole after the last one. Raises UserError
    if the tasks were changed since the first loop.
    """
    contract = ended.contract
    document = plan_file.require_order(plan_file.read_plan(Path(plan_task.path)))
    if _digest_tasks(document.plan) != plan_task.sha256:
        raise UserError(
            f"the tasks of `{plan_task.path}` have changed since the first one began",
            hint="look at the change, then `/untildone:implement-feature` goes on with it",
        )
    choice = TaskChoice(
        session=context.session_of(ended).id,
        project=Path(contract.project),
        by=contract.started_by,
        bounds=contract.bounds,
    )
    next_task = replace(plan_task, task=next(iter(plan_task.rest), ""), rest=plan_task.rest[1:])
    request = _build_request(context, choice, plan=document.plan, plan_task=next_task)
    return replace(request, after=contract.id, follows_done=ended.progress.outcome == "done")
