"""`untildone plan next`: shows the next task."""

from pathlib import Path
from typing import Any

import click
from msgspec import Struct, to_builtins

from untildone.cli.options import json_option, print_json
from untildone.cli.plan.plan_path import with_plan
from untildone.features.plans.order import OpenTasks, group_open_tasks
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
def command(*, path: Path, as_json: bool) -> None:
    """Show the first task whose dependencies are all completed.

    \b
    untildone plan next
    untildone plan next --json | jq -r .task.prompt
    """
    plan = require_order(read_plan(path)).plan
    tasks = group_open_tasks(plan.tasks)
    first = next(iter(tasks.ready), None)
    if as_json:
        task = None if first is None else {"id": first, **to_builtins(plan.tasks[first])}
        print_json(
            Next(
                task=task,
                ready=tasks.ready,
                in_progress=tasks.in_progress,
                blocked=tasks.blocked,
            )
        )
        return
    if first is not None:
        click.echo(f"{first}: {plan.tasks[first].title} ({plan.tasks[first].size})")
    click.echo(_describe_rest(tasks, len(plan.tasks)))


def _describe_rest(tasks: OpenTasks, total: int) -> str:
    unfinished = len(tasks.ready) + len(tasks.in_progress) + len(tasks.blocked)
    if not unfinished:
        return f"all {total} tasks are completed" if total else "there is no task"
    parts = [f"{len(tasks.ready)} ready"]
    if tasks.in_progress:
        parts.append(f"in progress: {', '.join(tasks.in_progress)}")
    if tasks.blocked:
        parts.append(f"{len(tasks.blocked)} wait for others")
    return "; ".join(parts)
