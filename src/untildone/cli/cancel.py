"""`untildone cancel`: end a loop."""

from pathlib import Path

import click

from untildone.cli.options import chosen, here, loop_argument, persons_word, project_option
from untildone.judge import verbs


@click.command("cancel")
@loop_argument
@project_option
def command(loop: str | None, project: Path | None) -> None:
    """Cancel a loop: the agent is let go at its next stop, or at once if it is being judged.

    \b
    untildone cancel           this session's or project's only one
    untildone cancel 1f2e      by the beginning of its id
    """
    found = here()
    record = chosen(found, loop, project)
    persons_word(found, record, "cancel")
    verbs.cancel(found, record.contract.id)
    click.echo(f"loop {record.contract.id} is cancelled")
