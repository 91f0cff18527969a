"""A plan with the loops that worked on its tasks, as `report --plan` shows it."""

from collections.abc import Iterator
from pathlib import Path

from untildone.cli.loops import list_loops
from untildone.engine.context import Context
from untildone.features.plans.plan import Plan
from untildone.features.plans.plan_file import find_named_plan, read_plan
from untildone.report.page.plan_view import PlannedTask, PlanView, build_plan_view
from untildone.runs.plan.plan_journal import PlanJournal
from untildone.runs.plan.workspace import find_state_folder
from untildone.store.loops import Record


def load_plan_view(context: Context, project: Path, name: str) -> PlanView:
    """Return the view of the plan that is named by its file or feature, or the only one here."""
    path = find_named_plan(project, name)
    plan = read_plan(path).plan
    feature = plan.feature or path.resolve().parent.name
    return build_plan_view(feature, str(path), tuple(_list_tasks(context, path, plan)))


def _list_tasks(context: Context, path: Path, plan: Plan) -> Iterator[PlannedTask]:
    """Yield the tasks; a plan run records their loops in its journal, a session in the contract."""
    journal = PlanJournal(find_state_folder(context, path), context.now)
    records = {record.contract.id: record for record in list_loops(context)}
    phases = {phase.id: phase.name for phase in plan.phases}
    for name, task in plan.tasks.items():
        state = journal.get(name)
        yield PlannedTask(
            id=name,
            title=task.title,
            status="completed" if state.step == "merged" else task.status,
            phase=phases.get(task.phase, "") if task.phase is not None else "",
            points=task.points,
            depends_on=task.depends_on,
            criteria=(*task.acceptance_criteria, *task.testing),
            step=state.step if state.step != "waiting" else "",
            reason=state.reason,
            merge=state.merge if state.step == "merged" else "",
            records=_find_records(records, path, name, state.loops),
        )


def _find_records(
    records: dict[str, Record], path: Path, task: str, of_run: tuple[str, ...]
) -> tuple[Record, ...]:
    """Return the loops of the task, the oldest first."""
    found = [
        record
        for loop, record in records.items()
        if loop in of_run or _is_of_task(record, path, task)
    ]
    return tuple(sorted(found, key=lambda record: record.contract.started_at))


def _is_of_task(record: Record, path: Path, task: str) -> bool:
    plan = record.contract.plan
    return bool(plan and plan.path and plan.task == task and Path(plan.path) == path.resolve())
