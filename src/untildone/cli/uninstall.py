"""`untildone uninstall`: take our entries out again."""

from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.init import Written
from untildone.cli.options import (
    here,
    json_option,
    print_json,
    project_of,
    project_option,
    records,
    require_user_of_machine,
)
from untildone.cli.place import place_of
from untildone.engine import verbs
from untildone.engine.context import Context
from untildone.features.edits import switch
from untildone.install.claude import take_out
from untildone.install.record import read


class TakenOut(Struct, frozen=True, kw_only=True):
    """What `uninstall --json` prints."""

    files: tuple[Written, ...]
    paused: tuple[str, ...]


@click.command("uninstall")
@project_option
@json_option
def command(project: Path | None, *, as_json: bool) -> None:
    """Take out our entries everywhere `init` put them; what the loops recorded is kept.

    Active loops are paused first: nobody would hold their agents any more.

    \b
    untildone uninstall
    """
    found = here()
    require_user_of_machine(found, "uninstall")
    installed = read(found.home)
    paused = _pause_all(found) if installed else ()
    place = place_of(found, project_of(project))
    files = tuple(
        Written(path=str(change.path), kind=change.kind)
        for each in installed
        for change in take_out(place, each)
        if change.kind != "unchanged"
    )
    switch.write_modes(str(found.home), frozenset())
    if as_json:
        print_json(TakenOut(files=files, paused=paused))
        return
    for loop in paused:
        click.echo(f"paused: loop {loop}")
    for file in files:
        click.echo(f"{file.kind}: {file.path}")
    kept = f"kept: {found.home} (loops and receipts)"
    click.echo(kept if installed else "nothing is installed")


def _pause_all(found: Context) -> tuple[str, ...]:
    """Nobody will hold these agents any more: say so rather than let it look held."""
    active = [record for record in records(found) if record.progress.status == "active"]
    for record in active:
        verbs.pause(found, record.contract.id, "untildone was uninstalled")
    return tuple(record.contract.id for record in active)
