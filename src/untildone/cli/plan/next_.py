"""`untildone plan next`: the task that comes next."""

from pathlib import Path
from typing import Any

import click
from msgspec import Struct, to_builtins

from untildone.cli.options import json_option, print_json
from untildone.cli.plan.place import with_plan
from untildone.features.plans.document import read_plan, require_order
from untildone.features.plans.order import OpenTasks, group_open_tasks


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
    found = group_open_tasks(plan.tasks)
    first = next(iter(found.ready), None)
    if as_json:
        task = None if first is None else {"id": first, **to_builtins(plan.tasks[first])}
        print_json(
            Next(
                task=task,
                ready=found.ready,
                in_progress=found.in_progress,
                blocked=found.blocked,
            )
        )
        return
    if first is not None:
        click.echo(f"{first}: {plan.tasks[first].title} ({plan.tasks[first].size})")
    click.echo(_rest(found, len(plan.tasks)))


def _rest(found: OpenTasks, total: int) -> str:
    unfinished = len(found.ready) + len(found.in_progress) + len(found.blocked)
    if not unfinished:
        return f"all {total} tasks are completed" if total else "there is no task"
    parts = [f"{len(found.ready)} ready"]
    if found.in_progress:
        parts.append(f"in progress: {', '.join(found.in_progress)}")
    if found.blocked:
        parts.append(f"{len(found.blocked)} wait for others")
    return "; ".join(parts)
