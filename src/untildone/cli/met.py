"""`untildone met`: the agent reports a claim as met."""

from pathlib import Path
from typing import cast, get_args

import click

from untildone.cli.agent_verbs import record_verb, require_text
from untildone.cli.options import loop_option, project_option
from untildone.core.contract import Verification
from untildone.engine.agent_verbs import AgentVerb


@click.command("met")
@click.argument("name")
@click.option(
    "--by", required=True, type=click.Choice(get_args(Verification)), help="How it was verified."
)
@click.option("--evidence", required=True, callback=require_text, help="What was seen.")
@loop_option
@project_option
def command(name: str, *, by: str, evidence: str, loop: str | None, project: Path | None) -> None:
    """Report a claim as met; an assumption never counts.

    \b
    untildone met "API returns 200" --by execution --evidence "curl -i :8000/ -> 200"
    """
    kind = cast(Verification, by)
    record_verb(
        (loop, project),
        AgentVerb(verb="met", name=name, text=evidence, by=kind),
        done=f"recorded: {name} by {by}",
    )
