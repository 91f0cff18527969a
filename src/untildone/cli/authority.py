"""Refusals: which commands only the user may run, and on which loops an agent may report."""

from untildone.engine.context import Context
from untildone.engine.speaker import find_calling_session, is_in_check, speaks_for_agent
from untildone.errors import UserError
from untildone.store.loops import Record
from untildone.store.sessions import Session


def require_user(
    context: Context, record: Record, verb: str, *, session: Session | None = None
) -> None:
    """Refuse a person's verb that comes from an agent's side, towards the loop's own session."""
    require_user_of_session(context, session or context.session_of(record), verb)


def refuse_in_check(context: Context, verb: str) -> None:
    """Code that a check runs has no say in whether it is checked."""
    if is_in_check(str(context.home)):
        raise UserError(
            f"`untildone {verb}` is refused: it was called from inside a check",
            hint="run it in your own terminal",
        )


def require_user_of_session(context: Context, session: Session, verb: str) -> None:
    refuse_in_check(context, verb)
    if speaks_for_agent(context.agent, str(context.home), session):
        raise UserError(
            f"`untildone {verb}` is the person's to say",
            hint="if you cannot go on, run `untildone blocked REASON`",
        )


def require_user_of_machine(context: Context, verb: str) -> None:
    """Refuse what concerns the whole machine from below any agent's client."""
    refuse_in_check(context, verb)
    if find_calling_session(context.agent, str(context.home)):
        raise UserError(
            f"`untildone {verb}` is the person's to say",
            hint="it is run in their own terminal, not inside a session",
        )


def require_own_loop(context: Context, record: Record) -> None:
    """Refuse an agent's word on the loop of another session."""
    caller = find_calling_session(context.agent, str(context.home))
    if caller and caller.id != context.session_of(record).id:
        raise UserError(
            f"loop `{record.contract.id}` belongs to another session",
            hint="leave out `--loop`",
        )
