"""`untildone plan refine`: lists the tasks over 5 points, or splits one."""

import json
import sys
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from untildone.cli.options import json_option, print_json
from untildone.cli.plan.plan_path import with_plan
from untildone.errors import UserError
from untildone.features.plans.editing import change_plan
from untildone.features.plans.plan_file import read_plan, require_order
from untildone.features.plans.refinement import split_task
from untildone.features.plans.rules import find_large_tasks

_LARGEST = 4_000_000


class LargeTask(Struct, frozen=True, kw_only=True):
    id: str
    title: str
    points: int


class Refinement(Struct, frozen=True, kw_only=True):
    """What `plan refine --json` prints: the tasks that are still too large."""

    large: tuple[LargeTask, ...]


@click.command("refine")
@click.argument("task", required=False)
@click.option(
    "--into", metavar="FILE", help="The parts: a JSON object of tasks by id; `-` is stdin."
)
@with_plan
@json_option
def command(task: str | None, *, into: str | None, path: Path, as_json: bool) -> int:
    """List the tasks over 5 points (exit 1 if there are any), or replace a task by its parts.

    Tasks that depended on it then depend on its last parts; its first parts take over its own
    dependencies.

    \b
    untildone plan refine
    untildone plan refine TASK-004 --into parts.json
    """
    if (task is None) != (into is None):
        raise UserError(
            "a task and its parts must be given together", hint="`plan refine TASK --into FILE`"
        )
    if task is not None and into is not None:
        parts = _read_parts(into)
        change_plan(path, lambda context: split_task(context, task, parts))
    plan = require_order(read_plan(path)).plan
    large = tuple(
        LargeTask(id=name, title=plan.tasks[name].title, points=plan.tasks[name].points)
        for name in find_large_tasks(plan.tasks)
    )
    if as_json:
        print_json(Refinement(large=large))
    else:
        lines = [f"{each.id}: {each.title} ({each.points} points)" for each in large]
        click.echo("\n".join(lines or ["no task is over 5 points"]))
    return 1 if large and task is None else 0


def _read_parts(into: str) -> dict[str, dict[str, Any]]:
    try:
        text = sys.stdin.read(_LARGEST) if into == "-" else Path(into).read_text(encoding="utf-8")
        parts = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"`{into}` cannot be read: {error}", hint="name a JSON file") from None
    if isinstance(parts, dict) and all(isinstance(part, dict) for part in parts.values()):
        return parts
    raise UserError(
        f"`{into}` is not a JSON object of tasks by id",
        hint='`{"TASK-004a": {"title": …, "points": 3, "acceptance_criteria": […]}, …}`',
    )
