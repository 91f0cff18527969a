"""`untildone plan start`: starts a loop on one task of a plan, or on all in order."""

from pathlib import Path

import click
from msgspec.structs import replace

from untildone.cli.loops import open_context
from untildone.cli.options import json_option, project_option
from untildone.cli.project import find_project
from untildone.cli.sessions import choose_session
from untildone.cli.start import is_agent_calling, print_started, run_baseline_checks
from untildone.engine.artifacts import write_task
from untildone.engine.loop_start import begin_loop
from untildone.features.plans.task_loops import BOUNDS, TaskChoice, build_task_request


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
@click.option("--session", metavar="ID", help="The agent's session, if not this shell's.")
@click.option("--plan", default="", metavar="PLAN", help="The plan, by its file or feature.")
@project_option
@json_option
def command(
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
    chosen = choose_session(context, session, folder)
    by_agent = is_agent_calling(context, chosen)
    choice = TaskChoice(
        session=chosen.id,
        project=folder,
        plan=plan,
        task=task,
        by="agent" if by_agent else "user",
        bounds=replace(BOUNDS, rounds=rounds),
    )
    record = begin_loop(context, build_task_request(context, choice))
    for line in record.warnings:
        click.echo(line, err=True)
    write_task(folder, record.contract)
    record, results = run_baseline_checks(context, record, detached=by_agent)
    print_started(context, record, results, as_json=as_json)
