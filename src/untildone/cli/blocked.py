"""`untildone blocked`: the agent cannot get past something."""

from pathlib import Path

import click

from untildone.cli.options import project_option
from untildone.cli.said import say, which_option, words
from untildone.engine import verbs
from untildone.engine.relayed_verbs import Verb


@click.command("blocked")
@click.argument("reason", callback=words)
@which_option
@project_option
def command(reason: str, *, loop: str | None, project: Path | None) -> None:
    """Say what you cannot get past without the person; said twice, the loop pauses for them.

    \b
    untildone blocked "the test needs the password of the staging database"
    """
    say(
        (loop, project),
        Verb(verb="blocked", text=reason),
        lambda found, named: verbs.blocked(found, named, reason),
        done="recorded; stop now",
    )
