"""`untildone blocked`: the agent cannot get past something."""

import click

from untildone.cli.said import say
from untildone.judge import verbs
from untildone.judge.handover import Verb


@click.command("blocked")
@click.argument("reason")
@click.option("--loop", help="The loop, where it is not this session's.")
def command(reason: str, loop: str | None) -> None:
    """Say what you cannot get past without the person; said twice, the loop pauses for them."""
    say(
        loop,
        Verb(verb="blocked", text=reason),
        lambda found, named: verbs.blocked(found, named, reason),
        done="recorded; stop now",
    )
