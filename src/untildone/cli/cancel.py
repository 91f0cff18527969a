"""`untildone cancel`: end a loop."""

from pathlib import Path

import click

from untildone.cli.authority import require_user, require_user_of_machine, require_user_of_session
from untildone.cli.loops import choose_loop, open_context
from untildone.cli.options import loop_argument, project_option
from untildone.engine import verbs
from untildone.engine.context import Context
from untildone.store.sessions import list_sessions


@click.command("cancel")
@loop_argument
@project_option
def command(loop: str | None, project: Path | None) -> None:
    """Cancel a loop: the agent is released at its next stop, or at once if it is being judged.

    \b
    untildone cancel           the loop of this session, or the only one of this project
    untildone cancel 1f2e      the loop whose id begins with this
    """
    context = open_context()
    if loop and _is_lost(context, loop):
        _release_lost_loop(context, loop)
        click.echo(f"loop {loop} had lost its files; its session is released")
        return
    record = choose_loop(context, loop, project)
    require_user(context, record, "cancel")
    verbs.cancel(context, record.contract.id)
    click.echo(f"loop {record.contract.id} is cancelled")


def _is_lost(context: Context, loop: str) -> bool:
    """Whether an unfinished loop's folder is gone."""
    return not context.loops.get_folder(loop).exists() and context.loops.is_remembered(loop)


def _release_lost_loop(context: Context, loop: str) -> None:
    known = list_sessions(str(context.home), context.agent.NAME)
    owners = [session for session in known if session.get_loop_id() == loop]
    if not owners:
        require_user_of_machine(context, "cancel")
    for owner in owners:
        require_user_of_session(context, owner, "cancel")
        owner.release()
    context.loops.forget(loop)
