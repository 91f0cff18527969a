"""The tasks of a plan file as tasks of the queue; the file itself is not changed."""

from pathlib import Path

from msgspec.structs import replace

from untildone.engine.context import Context
from untildone.engine.request import Request
from untildone.errors import UserError
from untildone.features.plans.order import list_uncompleted, sort_by_dependency
from untildone.features.plans.plan import Plan
from untildone.features.plans.plan_file import read_plan, require_order
from untildone.features.plans.task_checks import find_promise
from untildone.features.plans.task_loops import load_project_checks
from untildone.runs.queue.values import NewTask, PlannedTask
from untildone.runs.tasks.plan_terms import apply_plan_task, write_task_text

# As many as `run --plan` gives each task.
_ROUNDS = 5


def read_plan_tasks(path: Path, defaults: NewTask) -> tuple[NewTask, ...]:
    """Return the uncompleted tasks of a plan, each after those that it depends on."""
    plan = require_order(read_plan(path)).plan
    uncompleted = set(list_uncompleted(plan.tasks, completed=()))
    names = [name for name in sort_by_dependency(plan.tasks) if name in uncompleted]
    if not names:
        raise UserError(f"every task of `{path}` is completed", hint="nothing is left to add")
    return tuple(_make_task(plan, name, names, defaults) for name in names)


def _make_task(plan: Plan, name: str, names: list[str], defaults: NewTask) -> NewTask:
    task = plan.tasks[name]
    needed = (names.index(other) for other in task.depends_on if other in names)
    options = replace(
        defaults.options,
        task=write_task_text(name, task),
        rounds=_ROUNDS if defaults.options.rounds is None else defaults.options.rounds,
    )
    planned = PlannedTask(
        name=name,
        promise=find_promise(task),
        task=replace(task, prompt="", status="not_started", worker=""),
    )
    source = f"{plan.feature}: {name}" if plan.feature else name
    return replace(defaults, options=options, plan=planned, source=source, after_new=tuple(needed))


def add_plan_terms(context: Context, request: Request, planned: PlannedTask) -> Request:
    """Return the request with the checks, claims and allowances of the plan's task."""
    return apply_plan_task(
        request,
        planned.name,
        planned.task,
        promise=planned.promise,
        others=load_project_checks(context, request.project),
    )
