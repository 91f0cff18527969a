"""`untildone plan set-status`: sets the status of a task."""

from pathlib import Path
from typing import cast, get_args

import click

from untildone.cli.authority import refuse_in_check
from untildone.cli.loops import open_context
from untildone.cli.options import json_option, print_json
from untildone.cli.plan.plan_path import with_plan
from untildone.engine.speaker import find_calling_session, is_in_tool_call
from untildone.errors import UserError
from untildone.features.plans.editing import change_plan, edit_status
from untildone.features.plans.plan import TaskStatus


@click.command("set-status")
@click.argument("task")
@click.argument("status", type=click.Choice(get_args(TaskStatus)))
@click.option("--worker", default="", metavar="NAME", help="Who works on it.")
@with_plan
@json_option
def command(task: str, *, status: str, worker: str, path: Path, as_json: bool) -> None:
    """Set the status of a task; only the user sets `completed`, an agent's task is verified.

    \b
    untildone plan set-status TASK-001 in_progress
    """
    wanted = cast(TaskStatus, status)
    if wanted == "completed":
        _refuse_agent(task)
    plan = change_plan(path, lambda context: edit_status(context, task, wanted, worker=worker)).plan
    if as_json:
        print_json({"id": task, "status": plan.tasks[task].status, "file": str(path)})
    else:
        click.echo(f"{task}: {status.replace('_', ' ')}")


def _refuse_agent(task: str) -> None:
    context = open_context()
    refuse_in_check(context, "plan set-status")
    caller = find_calling_session(context.agent, str(context.home))
    if caller is not None and is_in_tool_call(context.agent, caller):
        raise UserError(
            f"only verification or the user completes `{task}`",
            hint="stop so that its loop verifies it, or ask the user to run this",
        )
