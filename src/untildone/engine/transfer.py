"""Moves a loop into another session of the same agent."""

from msgspec.structs import replace

from untildone.core.contract import Amendment
from untildone.engine.context import Context
from untildone.engine.verbs import change_loop, require_unfinished
from untildone.errors import UserError
from untildone.store.loops import Record


def move_loop(context: Context, record: Record, session: str) -> Record:
    """The old session lets go of the loop; the new one gets it by an amendment in the journal."""
    require_unfinished(record)
    target = context.session(session)
    if not target.known:
        raise UserError(
            f"`{session}` is not a session id", hint="`untildone status --all` lists sessions"
        )
    if target.get_loop_id() and target.get_loop_id() != record.contract.id:
        raise UserError(
            f"this session has the loop `{target.get_loop_id()}` already",
            hint=f"`untildone cancel {target.get_loop_id()}` ends it",
        )
    old = context.session_of(record)
    if session == old.id:
        return record
    # What it cost before is counted on by the status line of the new one.
    target.write_json(
        "spend.json", {"loop": record.contract.id, "spent": record.progress.spend_usd}
    )
    amendment = Amendment(by="user", at=context.now(), session=session)
    moved = change_loop(
        context,
        record.contract.id,
        lambda now: replace(now.progress, amendments=(*now.progress.amendments, amendment)),
        kind="moved",
        session=session,
    )
    old.release()
    return moved
