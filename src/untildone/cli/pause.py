"""`untildone pause`: let the agent go for now."""

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
    """Pause a loop: nobody holds the agent until `untildone continue`.

    \b
    untildone pause            this session's or project's only one
    untildone pause 1f2e       by the beginning of its id
    """
    context = open_context()
    record = choose_loop(context, loop, project)
    require_user(context, record, "pause")
    verbs.pause(context, record.contract.id)
    click.echo(f"loop {record.contract.id} is paused; `untildone continue` resumes it")
