"""`untildone milestone`: the detached process that delivers a notification."""

import click

from untildone.cli.loops import open_context
from untildone.features.milestones.delivery import deliver


@click.command("milestone", hidden=True)
@click.argument("letter")
def command(letter: str) -> None:
    deliver(open_context(), letter)
