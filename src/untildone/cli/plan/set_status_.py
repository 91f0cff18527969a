"""`untildone plan set-status`: how far a task is."""

from pathlib import Path
from typing import cast, get_args

import click

from untildone.cli.authority import refuse_in_check
from untildone.cli.loops import open_context
from untildone.cli.options import json_option, print_json
from untildone.cli.plan.place import with_plan
from untildone.engine.speaker import find_calling_session, is_in_tool_call
from untildone.errors import UserError
from untildone.features.plans.editing import change_plan, edit_status
from untildone.features.plans.model import TaskStatus


@click.command("set-status")
@click.argument("task")
@click.argument("status", type=click.Choice(get_args(TaskStatus)))
@click.option("--worker", default="", metavar="NAME", help="Who has it in progress.")
@with_plan
@json_option
def command(task: str, *, status: str, worker: str, path: Path, as_json: bool) -> None:
    """Say how far a task is; `completed` is yours to say, an agent's tasks are verified.

    \b
    untildone plan set-status TASK-001 in_progress
    """
    wanted = cast(TaskStatus, status)
    if wanted == "completed":
        _not_by_an_agent(task)
    plan = change_plan(path, lambda context: edit_status(context, task, wanted, worker=worker)).plan
    if as_json:
        print_json({"id": task, "status": plan.tasks[task].status, "file": str(path)})
    else:
        click.echo(f"{task}: {status.replace('_', ' ')}")


def _not_by_an_agent(task: str) -> None:
    context = open_context()
    refuse_in_check(context, "plan set-status")
    caller = find_calling_session(context.agent, str(context.home))
    if caller is not None and is_in_tool_call(context.agent, caller):
        raise UserError(
            f"`{task}` is completed by its verification or by the person's word, not by an agent's",
            hint="stop: what its loop checks is then checked; else ask the person to say it",
        )
