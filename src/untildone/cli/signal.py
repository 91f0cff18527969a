"""`untildone signal`: the agent says that the task is done."""

from pathlib import Path

import click

from untildone.cli.options import project_option
from untildone.cli.said import say, which_option
from untildone.engine import verbs
from untildone.engine.relayed_verbs import Verb


@click.command("signal")
@which_option
@project_option
def command(loop: str | None, project: Path | None) -> None:
    """Say that you believe the whole task is done; the checks still decide.

    \b
    untildone signal
    """
    say(
        (loop, project),
        Verb(verb="signal"),
        verbs.signal,
        done="signalled; stop now and the checks decide",
    )
