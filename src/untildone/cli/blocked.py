"""`untildone blocked`: the agent reports what it cannot do without the user."""

from pathlib import Path

import click

from untildone.cli.agent_verbs import record_verb, require_text
from untildone.cli.options import loop_option, project_option
from untildone.engine.agent_verbs import AgentVerb


@click.command("blocked")
@click.argument("reason", callback=require_text)
@loop_option
@project_option
def command(reason: str, *, loop: str | None, project: Path | None) -> None:
    """Report what you cannot do without the user; the second report pauses the loop.

    \b
    untildone blocked "the test needs the password of the staging database"
    """
    record_verb(
        (loop, project),
        AgentVerb(verb="blocked", text=reason),
        done="recorded; stop now",
    )
