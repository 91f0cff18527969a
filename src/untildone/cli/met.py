"""`untildone met`: the agent reports a claim."""

from typing import cast, get_args

import click

from untildone.cli.said import say
from untildone.judge import verbs
from untildone.judge.handover import Verb
from untildone.loop.model import Verification


@click.command("met")
@click.argument("name")
@click.option(
    "--by", required=True, type=click.Choice(get_args(Verification)), help="How it was verified."
)
@click.option("--evidence", required=True, help="What was seen.")
@click.option("--loop", help="The loop, where it is not this session's.")
def command(name: str, *, by: str, evidence: str, loop: str | None) -> None:
    """Report a claim as met; an assumption never counts.

    \b
    untildone met "API returns 200" --by execution --evidence "curl -i :8000/ -> 200"
    """
    kind = cast(Verification, by)
    say(
        loop,
        Verb(verb="met", name=name, text=evidence, by=kind),
        lambda found, named: verbs.met(found, named, name, by=kind, evidence=evidence),
        done=f"recorded: {name} by {by}",
    )
