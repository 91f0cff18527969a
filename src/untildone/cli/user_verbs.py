"""`untildone pause`, `cancel` and `approve`: what only the user may decide about a loop."""

from pathlib import Path

import click

from untildone.cli import authority, options
from untildone.cli.loops import choose_loop, list_unfinished_loops, open_context
from untildone.engine import verbs
from untildone.engine.approval import ALL, ALWAYS, approve, describe_approval
from untildone.engine.context import Context
from untildone.engine.receipts import describe_users_end
from untildone.errors import UserError
from untildone.runs import run_memory
from untildone.store.sessions import list_sessions


@click.command("pause")
@options.loop_argument
@options.project_option
def pause_command(loop: str | None, project: Path | None) -> None:
    """Pause a loop: the agent is not held until you run `untildone continue`.

    \b
    untildone pause            the loop of this session, or the only one of this project
    untildone pause 1f2e       the loop whose id begins with this
    """
    context = open_context()
    record = choose_loop(context, loop, project)
    authority.require_user(context, record, "pause")
    paused = verbs.pause(context, record.contract.id)
    click.echo(f"{describe_users_end(context, paused)} | `untildone continue` resumes it")


@click.command("cancel")
@options.loop_argument
@click.option("--all", "every", is_flag=True, help="Cancel every unfinished loop of this project.")
@options.project_option
def cancel_command(loop: str | None, *, every: bool, project: Path | None) -> None:
    """Cancel a loop: the agent is released at its next stop, or at once if it is being judged.

    \b
    untildone cancel           the loop of this session, or the only one of this project
    untildone cancel 1f2e      the loop whose id begins with this
    untildone cancel --all     every unfinished loop of this project
    """
    context = open_context()
    if every:
        _cancel_all(context, loop, project)
        return
    if loop and _is_lost(context, loop):
        _release_lost_loop(context, loop)
        click.echo(f"loop {loop} had lost its files; its session is released")
        return
    record = choose_loop(context, loop, project)
    authority.require_user(context, record, "cancel")
    click.echo(describe_users_end(context, verbs.cancel(context, record.contract.id)))


def _cancel_all(context: Context, loop: str | None, project: Path | None) -> None:
    if loop:
        raise UserError(
            f"`--all` cancels every loop, not only `{loop}`", hint=f"`untildone cancel {loop}`"
        )
    records = list_unfinished_loops(context, project)
    # All or none: an agent that may not cancel one of them cancels nothing.
    for record in records:
        authority.require_user(context, record, "cancel")
    for record in records:
        click.echo(describe_users_end(context, verbs.cancel(context, record.contract.id)))


def _is_lost(context: Context, loop: str) -> bool:
    """Say whether an unfinished loop's folder is gone."""
    return not context.loops.get_folder(loop).exists() and context.loops.is_remembered(loop)


def _release_lost_loop(context: Context, loop: str) -> None:
    sessions = list_sessions(str(context.home), context.agent.NAME)
    owners = [session for session in sessions if session.get_loop_id() == loop]
    if not owners:
        authority.require_user_of_machine(context, "cancel")
    for owner in owners:
        authority.require_user_of_session(context, owner, "cancel")
        owner.release()
    context.loops.forget(loop)


@click.command("approve")
@click.argument("findings", nargs=-1)
@click.option(ALL, "everything", is_flag=True, help="Approve every open concern.")
@click.option(
    ALWAYS, "always", is_flag=True, help="Never ask about this kind and path in this project again."
)
@options.loop_option
@options.project_option
@options.json_option
def approve_command(
    findings: tuple[str, ...],
    *,
    everything: bool,
    always: bool,
    loop: str | None,
    project: Path | None,
    as_json: bool,
) -> None:
    """Approve what is removed or loosened since the baseline, as the pause names it.

    An approval holds for the current files: if they change again, you are asked again. If no
    concern is open, `--all` approves the current differences, for example after your `git pull`.

    \b
    untildone approve               the question, if there is only one; else they are listed
    untildone approve 2             the second question
    untildone approve --all
    untildone approve remove-test:tests/test_old.py::test_gone
    untildone approve --always      for good: `untildone trust --list` shows it
    """
    context = open_context()
    record = choose_loop(context, loop, project)
    authority.require_user(context, record, "approve")
    if always:
        authority.require_user_of_machine(context, "approve")
    headless = run_memory.read(context, record.contract.id) is not None
    words = (*((ALL,) if everything else findings), *((ALWAYS,) if always else ()))
    approved = approve(context, record, words, resumes=not headless)
    lines = describe_approval(approved, headless=headless)
    options.print_report(approved, lines, as_json=as_json)
