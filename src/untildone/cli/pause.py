"""`untildone pause`: stop holding the agent for now."""

from pathlib import Path

import click

from untildone.cli.authority import require_user
from untildone.cli.loops import choose_loop, open_context
from untildone.cli.options import loop_argument, project_option
from untildone.engine import verbs


@click.command("pause")
@loop_argument
@project_option
def command(loop: str | None, project: Path | None) -> None:
    """Pause a loop: the agent is not held until `untildone continue`.

    \b
    untildone pause            the loop of this session, or the only one of this project
    untildone pause 1f2e       the loop whose id begins with this
    """
    context = open_context()
    record = choose_loop(context, loop, project)
    require_user(context, record, "pause")
    verbs.pause(context, record.contract.id)
    click.echo(f"loop {record.contract.id} is paused; `untildone continue` resumes it")
