"""`untildone precheck`: the agent records what a change that is hard to undo could break."""

from pathlib import Path

import click

from untildone.cli.agent_verbs import record_verb, require_text
from untildone.cli.options import loop_option, project_option
from untildone.engine.agent_verbs import AgentVerb


@click.command("precheck")
@click.option(
    "--evidence",
    required=True,
    callback=require_text,
    help="What you looked at, and what you found.",
)
@loop_option
@project_option
def command(*, evidence: str, loop: str | None, project: Path | None) -> None:
    """Record how the change could go wrong; a loop with `--reversibility 1` requires it.

    \b
    untildone precheck --evidence "old clients read the column: kept for one release"
    """
    record_verb(
        (loop, project),
        AgentVerb(verb="precheck", text=evidence),
        done="recorded",
    )
