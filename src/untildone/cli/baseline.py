"""`untildone baseline`: the detached process that runs the checks of a new loop once."""

import click

from untildone.cli.loops import open_context
from untildone.engine.baseline_results import run_detached_baseline


@click.command("baseline", hidden=True)
@click.argument("loop")
@click.argument("tree")
def command(loop: str, tree: str) -> None:
    run_detached_baseline(open_context(), loop, tree)
