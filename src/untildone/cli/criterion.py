"""`untildone criterion add`: the agent adds a criterion to its loop."""

from pathlib import Path
from typing import cast, get_args

import click

from untildone.cli.agent_verbs import record_verb, require_text
from untildone.cli.options import loop_option, project_option
from untildone.core.contract import Verification
from untildone.engine.agent_verbs import AgentVerb


@click.group("criterion")
def command() -> None:
    """Criteria that only the agent can report on.

    \b
    untildone criterion add "the help names the new option" --by observation
    """


@command.command("add")
@click.argument("name", callback=require_text)
@click.option(
    "--by",
    type=click.Choice(get_args(Verification)),
    default="execution",
    show_default=True,
    help="How it is to be verified.",
)
@loop_option
@project_option
def add(name: str, *, by: str, loop: str | None, project: Path | None) -> None:
    """Add a criterion; existing criteria stay.

    \b
    untildone criterion add "the help names the new option" --by observation
    """
    kind = cast(Verification, by)
    record_verb(
        (loop, project),
        AgentVerb(verb="criterion", name=name, by=kind),
        done=f"added: {name}",
    )
