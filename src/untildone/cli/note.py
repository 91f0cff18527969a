"""`untildone note`: the agent leaves something for the person."""

import click

from untildone.cli.said import say
from untildone.judge import verbs
from untildone.judge.handover import Verb


@click.command("note")
@click.argument("text")
@click.option("--loop", help="The loop, where it is not this session's.")
def command(text: str, loop: str | None) -> None:
    """Leave a note in the loop's receipt."""
    say(
        loop,
        Verb(verb="note", text=text),
        lambda found, named: verbs.note(found, named, text),
        done="noted",
    )
