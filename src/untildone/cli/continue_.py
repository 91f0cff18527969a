"""`untildone continue`: hold the agent again."""

from pathlib import Path

import click

from untildone.cli import options
from untildone.cli.authority import require_user
from untildone.cli.loops import choose_loop, get_session_id, list_project_loops, open_context
from untildone.engine import verbs
from untildone.engine.context import Context
from untildone.engine.grants import Grant, build_grant
from untildone.engine.hold_status import load_loop_status
from untildone.engine.lost_loops import pause_unindexed_loop
from untildone.engine.prompt_start import describe_loop
from untildone.engine.speaker import is_driven, speaks_for_agent
from untildone.errors import UserError
from untildone.report.notices import describe_round
from untildone.report.status import StatusReport
from untildone.runs import run_memory
from untildone.store.loops import Record
from untildone.store.sessions import Session


@click.command("continue")
@options.loop_argument
@click.option(
    *("--rounds", "--iterations", "--max-iterations", "rounds"),
    metavar="[+=]N",
    help="Add (`+N`) or set (`=N`) the bound of rounds.",
)
@click.option("--budget", metavar="[+=]USD", help="Add to or set the budget.")
@click.option("--minutes", metavar="[+=]N", help="Add to or set the minutes.")
@click.option("--round-minutes", metavar="[+=]N", help="Add to or set the minutes of one round.")
@click.option("--here", "into_session", is_flag=True, help="Move the loop to this session.")
@options.project_option
@options.json_option
def continue_command(
    loop: str | None,
    *,
    into_session: bool,
    project: Path | None,
    as_json: bool,
    **bounds: str | None,
) -> int:
    """Continue a paused loop; one that reached a bound gets as much again.

    A headless loop continues in this terminal, as with `untildone run`.

    \b
    untildone continue
    untildone continue --rounds +5
    untildone continue --budget =40 --json
    untildone continue --here 1f2e3d4c     after `/clear`, in the new conversation
    """
    context = open_context()
    waiting = (
        into_session
        and loop is None
        and _import_waiting_loop(context, options.find_project(project))
    )
    if waiting:
        _print_loop(context, waiting, describe_loop(waiting), as_json=as_json)
        return 0
    record = pause_unindexed_loop(context, choose_loop(context, loop, project))
    session = context.session(get_session_id(context)) if into_session else None
    require_user(context, record, "continue", session=session)
    grant = build_grant(
        {name.replace("_", "-"): value for name, value in bounds.items() if value is not None}
    )
    return _continue_loop(context, record, session, grant, as_json=as_json)


def _continue_loop(
    context: Context, record: Record, session: Session | None, grant: Grant | None, *, as_json: bool
) -> int:
    """Move the loop to the session, if there is one, and continue it there or headless."""
    headless = _is_headless(context, record, session)
    if session:
        record = verbs.move_loop(context, record, session.id)
        run_memory.forget(context, record.contract.id)
    record = verbs.resume(context, record.contract.id, grant)
    if headless and not session:
        # Imported here because hardly any loop is headless.
        from untildone.cli.run import drive_loop

        # The shell of this command says nothing about the agent that was driven.
        context = open_context(record.agreed.agent)
        return drive_loop(context, record.contract.id)
    text = (
        f"loop {record.contract.id} continues, {describe_round(record.agreed, record.progress)};"
        " the agent is held from its next stop"
    )
    _print_loop(context, record, text, as_json=as_json)
    return 0


def _is_headless(context: Context, record: Record, session: Session | None) -> bool:
    """Say whether a headless run drove the loop; refuse one that is still running."""
    if session and not session.id:
        raise UserError(
            "`--here` needs an agent's session",
            hint="type `!untildone continue --here` in that session",
        )
    headless = run_memory.read(context, record.contract.id)
    if headless and is_driven(context.session_of(record)):
        raise UserError(
            f"loop `{record.contract.id}` is running already",
            hint=f"`untildone pause {record.contract.id}` stops that run",
        )
    return bool(headless)


def _print_loop(context: Context, record: Record, text: str, *, as_json: bool) -> None:
    if as_json:
        options.print_json(StatusReport(loops=(load_loop_status(context, record),)))
    else:
        click.echo(text)


def _import_waiting_loop(context: Context, project: Path) -> Record | None:
    """Import a trusted loop file of another tool, unless the project has an unfinished loop."""
    session = context.session(get_session_id(context))
    loops = (record.progress.status for record in list_project_loops(context, project))
    if not session.known or session.get_loop_id() or any(status != "finished" for status in loops):
        return None
    if speaks_for_agent(str(context.home), session):
        return None
    # Imported here because it imports YAML.
    from untildone.features.importers.automatic_imports import import_waiting_file

    return import_waiting_file(context, session.id, project)
