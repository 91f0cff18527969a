"""Finds loops that hold nobody because files are missing, and tells the user.

Hooks find a loop by the index, small files in the session's folder. If its entry was removed, the
loop is paused as tampered; if the loop's own folder was removed, the session is released.
"""

from untildone.core.verdict import Pause
from untildone.engine import verbs
from untildone.engine.context import Context
from untildone.engine.speaker import is_driven
from untildone.report.notices import describe_pause
from untildone.store.loops import Record
from untildone.store.sessions import Session


def pause_unindexed_loop(context: Context, record: Record) -> Record:
    """Pause an active loop as tampered if it is not in the index; else return it unchanged."""
    loop = record.contract.id
    if not _is_unindexed(context, record):
        return record
    # Asked again under the lock: a loop that is just being saved is in the index when it is free.
    with context.loops.lock(loop):
        record = context.loops.load(loop)
        if not _is_unindexed(context, record):
            return record
    missing = context.session_of(record).get_path("active")
    return verbs.end(context, loop, Pause(outcome="tampered", reason=f"`{missing}` is missing"))


def describe_lost_loop(context: Context, session: Session) -> str:
    """Return a notice if this session's loop has lost its files or its entry in the index."""
    loop = session.get_loop_id()
    if loop:
        return _describe_missing_files(context, session, loop)
    for record in context.loops.list_unfinished():
        if context.session_of(record).id == session.id:
            current = pause_unindexed_loop(context, record)
            if current is not record:
                return describe_pause(current)
    return ""


def _describe_missing_files(context: Context, session: Session, loop: str) -> str:
    """Release the session and return a notice, if the loop's folder is missing."""
    folder = context.loops.get_folder(loop)
    if folder.exists():
        return ""
    session.release()
    return f"untildone: `{folder}` is missing: loop {loop} is lost and nobody holds this session"


def _is_unindexed(context: Context, record: Record) -> bool:
    """Say whether an active loop is missing in the index.

    A loop that was only just created may not be in it yet (`is_remembered`), and one that
    `untildone run` drives needs no hooks.
    """
    session = context.session_of(record)
    return (
        record.progress.status == "active"
        and session.known
        and not session.is_active()
        and context.loops.is_remembered(record.contract.id)
        and not is_driven(session)
    )
