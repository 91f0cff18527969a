"""Active loops that the hooks cannot see, because their entry in the index was removed."""

from untildone.core.verdict import Pause
from untildone.engine import verbs
from untildone.engine.context import Context
from untildone.engine.speaker import is_driven
from untildone.report.notices import describe_pause
from untildone.store.loops import Record
from untildone.store.sessions import Session


def pause_unindexed_loop(context: Context, record: Record) -> Record:
    """Pause an active loop as tampered if the hooks cannot find it; else return it unchanged."""
    loop = record.contract.id
    if not _is_unindexed(context, record):
        return record
    # A loop that is being saved gets into the index before its lock is released.
    with context.loops.lock(loop):
        record = context.loops.load(loop)
        if not _is_unindexed(context, record):
            return record
    missing = context.session_of(record).path("active")
    return verbs.end(context, loop, Pause(outcome="tampered", reason=f"`{missing}` is missing"))


def describe_lost_loop(context: Context, session: Session) -> str:
    """What the user must know about this session's loop, if its files or its index are gone."""
    loop = session.get_loop_id()
    if loop:
        return _describe_missing_files(context, session, loop)
    for record in context.loops.list_unfinished():
        if context.session_of(record).id == session.id:
            now = pause_unindexed_loop(context, record)
            if now is not record:
                return describe_pause(now)
    return ""


def _describe_missing_files(context: Context, session: Session, loop: str) -> str:
    folder = context.loops.get_folder(loop)
    if folder.exists():
        return ""
    session.release()
    return f"untildone: `{folder}` is missing: loop {loop} is lost and nobody holds this session"


def _is_unindexed(context: Context, record: Record) -> bool:
    """Whether hooks cannot find an active loop; a new one may not be in the index yet."""
    session = context.session_of(record)
    return (
        record.progress.status == "active"
        and session.known
        and not session.is_active()
        and context.loops.is_remembered(record.contract.id)
        and not is_driven(session)
    )
