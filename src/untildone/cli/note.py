"""`untildone note`: the agent leaves something for the person."""

from pathlib import Path

import click

from untildone.cli.options import project_option
from untildone.cli.said import say, which_option, words
from untildone.engine import verbs
from untildone.engine.relayed_verbs import Verb


@click.command("note")
@click.argument("text", callback=words)
@which_option
@project_option
def command(text: str, *, loop: str | None, project: Path | None) -> None:
    """Leave a note in the loop's receipt.

    \b
    untildone note "the old parser is still used by the importer"
    """
    say(
        (loop, project),
        Verb(verb="note", text=text),
        lambda found, named: verbs.note(found, named, text),
        done="noted",
    )
