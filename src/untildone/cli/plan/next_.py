"""`untildone plan next`: show the next task."""

from pathlib import Path
from typing import Any

import click
from msgspec import Struct, to_builtins

from untildone.cli.options import json_option, print_report
from untildone.cli.plan.plan_path import with_plan
from untildone.features.plans.order import group_open_tasks
from untildone.features.plans.plan_file import read_plan, require_order


class Next(Struct, frozen=True, kw_only=True):
    """What `plan next --json` prints; `task` has its `id` beside the fields of the plan."""

    task: dict[str, Any] | None
    ready: tuple[str, ...]
    in_progress: tuple[str, ...]
    blocked: tuple[str, ...]


@click.command("next")
@with_plan
@json_option
def next_command(*, path: Path, as_json: bool) -> None:
    """Show the first task whose dependencies are all completed.

    \b
    untildone plan next
    untildone plan next --json | jq -r .task.prompt
    """
    tasks = require_order(read_plan(path)).plan.tasks
    unfinished = group_open_tasks(tasks)
    name = next(iter(unfinished.ready), None)
    report = Next(
        task=None if name is None else {"id": name, **to_builtins(tasks[name])},
        ready=unfinished.ready,
        in_progress=unfinished.in_progress,
        blocked=unfinished.blocked,
    )
    title = [] if name is None else [f"{name}: {tasks[name].title} ({tasks[name].size})"]
    print_report(report, [*title, _describe_rest(report, len(tasks))], as_json=as_json)


def _describe_rest(report: Next, total: int) -> str:
    if not (report.ready or report.in_progress or report.blocked):
        return f"all {total} tasks are completed" if total else "there is no task"
    parts = [f"{len(report.ready)} ready"]
    if report.in_progress:
        parts.append(f"in progress: {', '.join(report.in_progress)}")
    if report.blocked:
        parts.append(f"{len(report.blocked)} wait for others")
    return "; ".join(parts)
