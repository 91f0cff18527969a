"""`untildone plan show`: show the plan, or one task and how it is verified."""

from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import Struct, to_builtins

from untildone.cli.options import json_option, print_report
from untildone.cli.plan.plan_path import with_plan
from untildone.core.contract import Check
from untildone.core.text import pluralize
from untildone.features.plans import task_checks
from untildone.features.plans.plan import Phase, Summary, Task, TaskStatus
from untildone.features.plans.plan_file import Document, read_plan, require_task
from untildone.features.plans.plan_rules import find_large_tasks, summarize

_BOXES = {"not_started": " ", "in_progress": "~", "completed": "x"}


class TaskEntry(Struct, frozen=True, kw_only=True):
    id: str
    title: str
    status: TaskStatus
    phase: int | str | None
    points: int
    depends_on: tuple[str, ...]
    worker: str


class Overview(Struct, frozen=True, kw_only=True):
    """What `plan show --json` prints."""

    file: str
    feature: str
    summary: Summary
    phases: tuple[Phase, ...]
    large: tuple[str, ...]
    tasks: tuple[TaskEntry, ...]


class TaskDetails(Struct, frozen=True, kw_only=True):
    """What `plan show TASK --json` prints; `checked` are the criteria that untildone checks."""

    id: str
    task: Task
    checked: tuple[Check, ...]
    subjective: tuple[str, ...]
    promise: str


@click.command("show")
@click.argument("task", required=False)
@with_plan
@json_option
def show_command(task: str | None, *, path: Path, as_json: bool) -> None:
    """Show the plan; with a task's id, that task and how it is verified.

    \b
    untildone plan show
    untildone plan show TASK-001 --json
    """
    document = read_plan(path)
    for mistake in document.mistakes:
        click.echo(f"{document.path.name}: {mistake}", err=True)
    if task is None:
        overview = _build_overview(document)
        print_report(overview, _format_overview(overview), as_json=as_json)
    else:
        details = _build_details(document, task)
        print_report(details, _format_task(details), as_json=as_json)


def _build_overview(document: Document) -> Overview:
    plan = document.plan
    return Overview(
        file=str(document.path),
        feature=plan.feature,
        summary=summarize(plan.tasks),
        phases=plan.phases,
        large=find_large_tasks(plan.tasks),
        tasks=tuple(
            TaskEntry(
                id=name,
                **{field: getattr(task, field) for field in TaskEntry.__struct_fields__[1:]},
            )
            for name, task in plan.tasks.items()
        ),
    )


def _build_details(document: Document, name: str) -> TaskDetails:
    task = document.plan.tasks[require_task(document, name)]
    return TaskDetails(
        id=name,
        task=task,
        checked=task_checks.list_task_checks(task),
        subjective=task_checks.list_review_criteria(task),
        promise=task_checks.find_promise(task),
    )


def _format_overview(overview: Overview) -> list[str]:
    summary = overview.summary
    tasks, points = pluralize(summary.total_tasks, "task"), pluralize(summary.total_points, "point")
    lines = [f"{overview.feature or overview.file}: {tasks}, {points}"]
    lines += _format_phases(overview)
    if summary.critical_path:
        lines.append(f"critical path: {' → '.join(summary.critical_path)}")
    if overview.large:
        lines.append(f"over 5 points: {', '.join(overview.large)}; `untildone plan refine`")
    return lines


def _format_phases(overview: Overview) -> Iterator[str]:
    """Yield a heading for each phase with how far it is, and its tasks below it.

    Tasks of a plan without phases have no heading.
    """
    names = {phase.id: phase.name for phase in overview.phases}
    groups: dict[int | str | None, list[TaskEntry]] = {phase: [] for phase in names}
    for task in overview.tasks:
        groups.setdefault(task.phase, []).append(task)
    for phase, tasks in groups.items():
        if names:
            completed = sum(task.status == "completed" for task in tasks)
            title = f"phase {phase}: {names.get(phase, '')}" if phase is not None else "no phase"
            yield f"{title.rstrip(': ')} ({completed} of {len(tasks)})"
        yield from (f"{'  ' if names else ''}{_format_entry(task)}" for task in tasks)


def _format_entry(task: TaskEntry) -> str:
    after = f", after {', '.join(task.depends_on)}" if task.depends_on else ""
    return f"[{_BOXES[task.status]}] {task.id}: {task.title} (points: {task.points}{after})"


def _format_task(details: TaskDetails) -> list[str]:
    task = details.task
    lines = [f"{details.id}: {task.title} ({task.status.replace('_', ' ')}, {task.size})"]
    fields = {key: value for key, value in to_builtins(task).items() if value}
    lines += [
        f"{key}: {', '.join(fields[key])}" for key in ("depends_on", "blocks") if key in fields
    ]
    lines += [f"checked: {check.name}  (`{check.command}`)" for check in details.checked]
    lines += [f"needs review: {sentence}" for sentence in details.subjective]
    if details.promise:
        lines.append(f"promise: {details.promise}")
    return [*lines, "", task.prompt.strip()] if task.prompt.strip() else lines
