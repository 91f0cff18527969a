"""`untildone import`: starts a loop from another tool's file."""

from pathlib import Path

import click
from msgspec import to_builtins

from untildone.agents import AGENTS
from untildone.cli.loops import open_context
from untildone.cli.options import json_option, project_option
from untildone.cli.project import find_project
from untildone.cli.sessions import choose_session
from untildone.cli.start import is_agent_calling, print_started, run_baseline_checks
from untildone.core.contract import Speaker
from untildone.features.importers.imported_loop import describe_differences
from untildone.features.importers.imported_loop import read_loop_file as read_file
from untildone.features.importers.loop_files import import_loop


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--session", metavar="ID", help="The agent's session, as in `start`.")
@click.option(
    "--agent",
    type=click.Choice(sorted(AGENTS)),
    default="claude",
    show_default=True,
    help="The agent of the session.",
)
@project_option
@json_option
def command(
    file: Path, *, session: str | None, agent: str, project: Path | None, as_json: bool
) -> None:
    """Start a loop from the state file of Shipkit, Stravinsky, ralph-loop, Hope and others.

    \b
    untildone import .stravinsky/continuation-loop.md
    untildone import .claude/ralph-loop.local.md --session ID
    """
    context = open_context(agent)
    folder = find_project(project)
    chosen = choose_session(context, session, folder)
    by_agent = is_agent_calling(context, chosen)
    by: Speaker = "agent" if by_agent else "user"
    read = read_file(folder, file.absolute())
    record = import_loop(context, read, project=folder, session=chosen.id, by=by)
    differences = describe_differences(read.loop, by)
    for line in differences:
        click.echo(f"{read.shown}: {line}", err=True)
    record, results = run_baseline_checks(context, record, detached=by_agent)
    extra = {"file": read.shown, "taken": differences}
    print_started(
        context,
        record,
        results,
        as_json=as_json,
        extend=lambda started: {**to_builtins(started), **extra},
    )
