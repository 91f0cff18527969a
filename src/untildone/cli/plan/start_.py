"""`untildone plan start`: a loop on a task of the plan, or on one after another."""

from pathlib import Path

import click
from msgspec.structs import replace

from untildone.cli.options import here, json_option, project_of, project_option
from untildone.cli.sessions import chosen_session
from untildone.cli.start import called_by_agent, tell, with_start
from untildone.engine.artifacts import write_task
from untildone.engine.start import begin
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
@click.option("--plan", default="", metavar="PLAN", help="By its file or its feature.")
@project_option
@json_option
def command(
    *, task: str, plan: str, rounds: int, session: str | None, project: Path | None, as_json: bool
) -> None:
    """Hold an agent's session until TASK is verified; without TASK, all tasks and the feature.

    Its criteria are sealed now; a later change of the plan does not change them.

    \b
    untildone plan start TASK-001
    untildone plan start --plan login
    """
    found = here()
    place = project_of(project)
    chosen = chosen_session(found, session, place)
    by_agent = called_by_agent(found, chosen)
    asked = TaskChoice(
        session=chosen.id,
        project=place,
        plan=plan,
        task=task,
        by="agent" if by_agent else "user",
        bounds=replace(BOUNDS, rounds=rounds),
    )
    record = begin(found, build_task_request(found, asked))
    for line in record.warnings:
        click.echo(line, err=True)
    write_task(place, record.contract)
    record, results = with_start(found, record, detached=by_agent)
    tell(found, record, results, as_json=as_json)
