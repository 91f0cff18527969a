"""`untildone met`: the agent reports a claim."""

from pathlib import Path
from typing import cast, get_args

import click

from untildone.cli.options import project_option
from untildone.cli.said import say, which_option, words
from untildone.core.contract import Verification
from untildone.engine import verbs
from untildone.engine.relayed_verbs import Verb


@click.command("met")
@click.argument("name")
@click.option(
    "--by", required=True, type=click.Choice(get_args(Verification)), help="How it was verified."
)
@click.option("--evidence", required=True, callback=words, help="What was seen.")
@which_option
@project_option
def command(name: str, *, by: str, evidence: str, loop: str | None, project: Path | None) -> None:
    """Report a claim as met; an assumption never counts.

    \b
    untildone met "API returns 200" --by execution --evidence "curl -i :8000/ -> 200"
    """
    kind = cast(Verification, by)
    say(
        (loop, project),
        Verb(verb="met", name=name, text=evidence, by=kind),
        lambda found, named: verbs.met(found, named, name, by=kind, evidence=evidence),
        done=f"recorded: {name} by {by}",
    )
