"""`untildone note`: the agent leaves a note for the user."""

from pathlib import Path

import click

from untildone.cli.agent_verbs import record_verb, require_text
from untildone.cli.options import loop_option, project_option
from untildone.engine.agent_verbs import AgentVerb


@click.command("note")
@click.argument("text", callback=require_text)
@loop_option
@project_option
def command(text: str, *, loop: str | None, project: Path | None) -> None:
    """Leave a note in the loop's receipt.

    \b
    untildone note "the old parser is still used by the importer"
    """
    record_verb(
        (loop, project),
        AgentVerb(verb="note", text=text),
        done="noted",
    )
