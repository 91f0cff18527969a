"""`untildone signal`: the agent says that the task is done."""

import click

from untildone.cli.said import say
from untildone.judge import verbs
from untildone.judge.handover import Verb


@click.command("signal")
@click.option("--loop", help="The loop, where it is not this session's.")
def command(loop: str | None) -> None:
    """Say that you believe the whole task is done; the checks still decide."""
    say(loop, Verb(verb="signal"), verbs.signal, done="signalled; stop now and the checks decide")
