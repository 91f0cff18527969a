"""`untildone cancel`: end a loop."""

from pathlib import Path

import click

from untildone.cli.options import (
    chosen,
    here,
    loop_argument,
    project_option,
    require_user,
    require_user_of_loop,
    require_user_of_machine,
)
from untildone.engine import verbs
from untildone.engine.context import Context
from untildone.store.sessions import sessions


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
    if loop and _lost(found, loop):
        _give_up(found, loop)
        click.echo(f"loop {loop} was lost and is given up")
        return
    record = chosen(found, loop, project)
    require_user(found, record, "cancel")
    verbs.cancel(found, record.contract.id)
    click.echo(f"loop {record.contract.id} is cancelled")


def _lost(found: Context, loop: str) -> bool:
    """It is remembered as unfinished, and its folder is gone."""
    return not found.loops.folder(loop).exists() and found.loops.remembered(loop)


def _give_up(found: Context, loop: str) -> None:
    known = sessions(str(found.home), found.agent.NAME)
    owners = [session for session in known if session.loop() == loop]
    if not owners:
        require_user_of_machine(found, "cancel")
    for owner in owners:
        require_user_of_loop(found, owner, "cancel")
        owner.release()
    found.loops.forget(loop)
