"""`untildone plan set-status` and `start`: work on the tasks of a plan."""

import os
from pathlib import Path
from typing import cast, get_args

import click
from msgspec.structs import replace

from untildone.cli.authority import refuse_in_check
from untildone.cli.loops import open_context
from untildone.cli.options import find_project, json_option, print_report, project_option
from untildone.cli.plan.plan_path import with_plan
from untildone.cli.session_start import choose_session, finish_start, session_option
from untildone.engine.artifacts import write_task
from untildone.engine.loop_start import begin_loop
from untildone.engine.speaker import find_calling_session, is_in_tool_call
from untildone.errors import UserError
from untildone.features.plans.editing import change_plan, edit_status
from untildone.features.plans.plan import TaskStatus
from untildone.features.plans.task_loops import BOUNDS, TaskChoice, build_task_request


@click.command("set-status")
@click.argument("task")
@click.argument("status", type=click.Choice(get_args(TaskStatus)))
@click.option("--worker", default="", metavar="NAME", help="Who works on it.")
@with_plan
@json_option
def set_status_command(task: str, *, status: str, worker: str, path: Path, as_json: bool) -> None:
    """Set the status of a task; only the user may set `completed`, an agent's work is verified.

    \b
    untildone plan set-status TASK-001 in_progress
    """
    wanted = cast(TaskStatus, status)
    if wanted == "completed":
        _refuse_agent(task)
    plan = change_plan(path, lambda context: edit_status(context, task, wanted, worker=worker)).plan
    report = {"id": task, "status": plan.tasks[task].status, "file": str(path)}
    print_report(report, [f"{task}: {status.replace('_', ' ')}"], as_json=as_json)


def _refuse_agent(task: str) -> None:
    """Raise UserError if an agent runs this command.

    In a session without a loop no hook records tool calls: a command below its client may be the
    agent's, and is refused.
    """
    context = open_context()
    refuse_in_check(context, "plan set-status")
    caller = find_calling_session(str(context.home))
    if caller is None and not os.environ.get(context.agent.HOOKS.SESSION_VARIABLE):
        return
    if caller and caller.is_active() and not is_in_tool_call(caller):
        return
    raise UserError(
        f"only verification or the user completes `{task}`",
        hint="`untildone plan start` begins a loop that verifies it; the user may run this in a"
        " terminal outside of the agent",
    )


@click.command("start")
@click.argument("task", required=False, default="")
@click.option(
    "--rounds",
    type=click.IntRange(1),
    metavar="N",
    default=BOUNDS.rounds,
    show_default=True,
    help="Pause a task at its Nth judged stop that is not met.",
)
@session_option
@click.option("--plan", default="", metavar="PLAN", help="The plan, by its file or feature.")
@project_option
@json_option
def start_command(
    *, task: str, plan: str, rounds: int, session: str | None, project: Path | None, as_json: bool
) -> None:
    """Hold an agent's session until TASK is verified; without TASK, all tasks and the feature.

    The criteria are sealed at the start; later changes of the plan do not affect them.

    \b
    untildone plan start TASK-001
    untildone plan start --plan login
    """
    context = open_context()
    folder = find_project(project)
    chosen, by = choose_session(context, session, folder)
    choice = TaskChoice(
        session=chosen.id,
        project=folder,
        plan=plan,
        task=task,
        by=by,
        bounds=replace(BOUNDS, rounds=rounds),
    )
    record = begin_loop(context, build_task_request(context, choice))
    for line in record.warnings:
        click.echo(line, err=True)
    write_task(folder, record.contract)
    finish_start(context, record, by, as_json=as_json)
