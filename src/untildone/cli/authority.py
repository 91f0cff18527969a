"""Refusals: which commands only the user may run, and on which loops an agent may report."""

from untildone.engine.context import Context
from untildone.engine.speaker import find_calling_session, is_in_check, speaks_for_agent
from untildone.errors import UserError
from untildone.store.loops import Record
from untildone.store.sessions import Session


def require_user(
    context: Context, record: Record, verb: str, *, session: Session | None = None
) -> None:
    """Refuse a user's command that an agent runs; `session` replaces the session of the loop."""
    require_user_of_session(context, session or context.session_of(record), verb)


def refuse_in_check(context: Context, verb: str) -> None:
    """Refuse what the code under test calls: it must not decide whether it is checked."""
    if is_in_check(str(context.home)):
        raise UserError(
            f"`untildone {verb}` is refused: it was called from inside a check",
            hint="run it in your own terminal",
        )


def require_user_of_session(context: Context, session: Session, verb: str) -> None:
    """Refuse a user's command that the agent of this session runs."""
    refuse_in_check(context, verb)
    if speaks_for_agent(str(context.home), session):
        raise UserError(
            f"only the user may run `untildone {verb}`",
            hint="if you cannot go on, run `untildone blocked REASON`",
        )


def require_user_of_machine(context: Context, verb: str) -> None:
    """Refuse a command for the whole machine if any agent runs it."""
    refuse_in_check(context, verb)
    if find_calling_session(str(context.home)):
        raise UserError(
            f"only the user may run `untildone {verb}`",
            hint="ask them to run it in their own terminal, outside of a session",
        )


def require_own_loop(context: Context, record: Record) -> None:
    """Refuse an agent's report on the loop of another session."""
    caller = find_calling_session(str(context.home))
    if caller and caller.id != context.session_of(record).id:
        raise UserError(
            f"loop `{record.contract.id}` belongs to another session",
            hint="leave out `--loop`",
        )
