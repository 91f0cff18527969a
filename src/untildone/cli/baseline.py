"""`untildone baseline`: the detached run of the start's checks."""

import click

from untildone.cli.loops import open_context
from untildone.engine.baseline import run_detached_baseline


@click.command("baseline", hidden=True)
@click.argument("loop")
@click.argument("tree")
def command(loop: str, tree: str) -> None:
    run_detached_baseline(open_context(), loop, tree)
