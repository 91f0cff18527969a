"""`untildone uninstall`: removes what `init` installed."""

from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.authority import require_user_of_machine
from untildone.cli.init import WrittenFile
from untildone.cli.loops import list_loops, open_context
from untildone.cli.options import json_option, print_json, project_option
from untildone.cli.project import find_project
from untildone.engine import verbs
from untildone.engine.context import Context
from untildone.features.edits import switch
from untildone.install.claude import find_install_paths, uninstall
from untildone.install.manifest import read


class UninstallReport(Struct, frozen=True, kw_only=True):
    """What `uninstall --json` prints."""

    files: tuple[WrittenFile, ...]
    paused: tuple[str, ...]


@click.command("uninstall")
@project_option
@json_option
def command(project: Path | None, *, as_json: bool) -> None:
    """Remove our entries wherever `init` wrote them; recorded loops are kept.

    Active loops are paused first, because no hook would hold their agents any more.

    \b
    untildone uninstall
    """
    context = open_context()
    require_user_of_machine(context, "uninstall")
    installed = read(context.home)
    paused = _pause_all(context) if installed else ()
    paths = find_install_paths(context.environ, home=context.home, project=find_project(project))
    files = tuple(
        WrittenFile(path=str(change.path), kind=change.kind)
        for each in installed
        for change in uninstall(paths, each)
        if change.kind != "unchanged"
    )
    switch.write_modes(str(context.home), frozenset())
    if as_json:
        print_json(UninstallReport(files=files, paused=paused))
        return
    for loop in paused:
        click.echo(f"paused: loop {loop}")
    for file in files:
        click.echo(f"{file.kind}: {file.path}")
    kept = f"kept: {context.home} (loops and receipts)"
    click.echo(kept if installed else "nothing is installed")


def _pause_all(context: Context) -> tuple[str, ...]:
    """Without hooks no agent is held, so no loop must look active."""
    active = [record for record in list_loops(context) if record.progress.status == "active"]
    for record in active:
        verbs.pause(context, record.contract.id, "untildone was uninstalled")
    return tuple(record.contract.id for record in active)
