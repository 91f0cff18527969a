"""`untildone uninstall`: take our entries out again."""

from pathlib import Path

import click

from untildone.cli.options import here, project_of, project_option, records, session_here
from untildone.cli.place import place_of
from untildone.errors import UserError
from untildone.install.claude import take_out
from untildone.install.record import read
from untildone.judge import verbs
from untildone.judge.context import Context
from untildone.judge.speaker import called_by_agent


@click.command("uninstall")
@project_option
def command(project: Path | None) -> None:
    """Take out our entries everywhere `init` put them; what the loops recorded is kept."""
    found = here()
    session = session_here(found)
    if session and called_by_agent(found.agent, found.session(session)):
        raise UserError(
            "`untildone uninstall` is the person's to say",
            hint="if you cannot go on, run `untildone blocked REASON`",
        )
    installed = read(found.home)
    if not installed:
        click.echo("nothing is installed")
        return
    _pause_all(found)
    place = place_of(found, project_of(project))
    for each in installed:
        for change in take_out(place, each):
            if change.kind != "unchanged":
                click.echo(f"{change.kind}: {change.path}")
    click.echo(f"kept: {found.home} (loops and receipts)")


def _pause_all(found: Context) -> None:
    """Nobody will hold these agents any more: say so rather than let it look held."""
    for record in records(found):
        if record.progress.status == "active":
            verbs.pause(found, record.contract.id, "untildone was uninstalled")
            click.echo(f"paused: loop {record.contract.id}")
