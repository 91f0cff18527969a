"""`untildone signal`: the agent reports that the task is done."""

from pathlib import Path

import click

from untildone.cli.agent_verbs import record_verb
from untildone.cli.options import loop_option, project_option
from untildone.engine.agent_verbs import AgentVerb


@click.command("signal")
@loop_option
@project_option
def command(loop: str | None, project: Path | None) -> None:
    """Report that you believe the whole task is done; the checks still decide.

    \b
    untildone signal
    """
    record_verb(
        (loop, project),
        AgentVerb(verb="signal"),
        done="recorded; stop now, and the checks decide",
    )
