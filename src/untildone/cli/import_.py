"""`untildone import`: start a loop from another tool's file."""

from pathlib import Path

import click

from untildone.cli import session_start
from untildone.cli.loops import open_context
from untildone.cli.options import EXISTING_FILE, find_project, json_option, project_option
from untildone.features.importers.imported_loop import describe_differences, import_loop
from untildone.features.importers.loop_file import read_loop_file


@click.command("import")
@click.argument("file", type=EXISTING_FILE)
@session_start.session_option
@session_start.agent_option
@project_option
@json_option
def import_command(
    file: Path, *, session: str | None, agent: str, project: Path | None, as_json: bool
) -> None:
    """Start a loop from the state file of Shipkit, Stravinsky, ralph-loop, Hope and others.

    \b
    untildone import .stravinsky/continuation-loop.md
    untildone import .claude/ralph-loop.local.md --session ID
    """
    context = open_context(agent)
    folder = find_project(project)
    chosen, by = session_start.choose_session(context, session, folder)
    imported = read_loop_file(folder, file.absolute())
    record = import_loop(context, imported, project=folder, session=chosen.id, by=by)
    differences = describe_differences(imported.loop, by)
    for line in (*differences, *record.warnings):
        click.echo(f"{imported.display_path}: {line}", err=True)
    session_start.finish_start(
        context, record, by, as_json=as_json, file=imported.display_path, taken=differences
    )
