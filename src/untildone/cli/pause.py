"""`untildone pause`: let the agent go for now."""

from pathlib import Path

import click

from untildone.cli.options import chosen, here, loop_argument, project_option, require_user
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
    found = here()
    record = chosen(found, loop, project)
    require_user(found, record, "pause")
    verbs.pause(found, record.contract.id)
    click.echo(f"loop {record.contract.id} is paused; `untildone continue` resumes it")
