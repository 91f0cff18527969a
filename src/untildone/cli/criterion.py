"""`untildone criterion add`: the agent adds to what must hold."""

from typing import cast, get_args

import click

from untildone.cli.said import say
from untildone.judge import verbs
from untildone.judge.handover import Verb
from untildone.loop.model import Claim, Verification


@click.group("criterion")
def command() -> None:
    """Criteria that only the agent can report on."""


@command.command("add")
@click.argument("name")
@click.option("--by", type=click.Choice(get_args(Verification)), default="execution")
@click.option("--loop", help="The loop, where it is not this session's.")
def add(name: str, *, by: str, loop: str | None) -> None:
    """Add a criterion; what was agreed is never taken away."""
    kind = cast(Verification, by)
    say(
        loop,
        Verb(verb="criterion", name=name, by=kind),
        lambda found, named: verbs.add_claim(
            found, named, Claim(name=name, verification=kind), by="agent"
        ),
        done=f"added: {name}",
    )
