"""The mark of a stop that is being judged, and why one was not judged to its end.

The session's file `judging` has the id of the process that judges. If that is killed, the file
stays behind. `unjudged` says why the last stop was not judged; both go with the next judged stop.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from untildone.engine.context import Context
from untildone.engine.payload import Call
from untildone.engine.speaker import read_tail
from untildone.errors import UserError
from untildone.store.durable_files import DamagedFileError
from untildone.store.lock import LockTimeoutError
from untildone.store.sessions import Session

_ENDED_BY_CLIENT = "the client ended the checks"
_ESC = "you interrupted the checks with Esc"
# The client says what the user did within this time after it has ended our process.
_CAUSE_SECONDS = 1.5


@contextmanager
def mark_judging(context: Context, call: Call, session: Session) -> Iterator[None]:
    """Write the file `judging` for the time of the block, and `unjudged` if it raises.

    A stop that was broken off gets an entry in the journal.
    """
    # A run that was killed goes on where it was; only a client's hook has nobody who notices.
    if call.source != "run":
        record_killed_hook(context, session)
    loop = session.get_loop_id()
    session.remove("unjudged")
    session.write("judging", str(os.getpid()))
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as error:
        session.write("unjudged", _ENDED_BY_CLIENT)
        reason = _explain_signal(context, call, session, error)
        _record_unjudged(context, loop, reason)
        session.write("unjudged", reason)
        raise
    except BaseException as error:
        session.write("unjudged", f"{type(error).__name__}: {error}"[:300])
        raise
    finally:
        session.remove("judging")


def record_killed_hook(context: Context, session: Session) -> None:
    """Write the journal entry that a hook could not write itself because it was killed.

    The mark goes first: if this process is killed too, the entry is missing, but never repeated.
    """
    reason = _explain_killed_hook(context, session)
    if reason:
        session.write("unjudged", reason)
        session.remove("judging")
        _record_unjudged(context, session.get_loop_id(), reason)


def explain_unjudged_stop(context: Context, session: Session) -> str:
    """Return why the last stop of this session was not judged; an empty text if it was."""
    reason = _explain_killed_hook(context, session) or session.read("unjudged").strip()
    if reason == _ENDED_BY_CLIENT:
        return _find_cause(context, session) or reason
    return reason


def _explain_killed_hook(context: Context, session: Session) -> str:
    """Return why the process that judged is gone; an empty text if it is not."""
    process = session.read("judging").strip()
    if not process.isdecimal():
        return ""
    # Imported where it is used: nearly always there is no such file.
    from untildone.process.runner import is_alive

    if is_alive(int(process)):
        return ""
    if session.read("unjudged").strip() == _ENDED_BY_CLIENT:
        return _find_cause(context, session) or _ENDED_BY_CLIENT
    # Without the signal of its client before it, whatever the session did later has not caused it.
    return _ESC if _was_interrupted(context, session) else "the hook was killed"


def _explain_signal(
    context: Context, call: Call, session: Session, error: KeyboardInterrupt | SystemExit
) -> str:
    """Return who ended this process by a signal, as soon as the client's records say it."""
    if isinstance(error, KeyboardInterrupt):
        return "you interrupted the checks with Ctrl-C"
    if call.source == "run":
        return "the run was ended during the checks"
    deadline = time.monotonic() + _CAUSE_SECONDS
    while not (cause := _find_cause(context, session)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return cause or _ENDED_BY_CLIENT


def _find_cause(context: Context, session: Session) -> str:
    """Return what the user or the client did, as far as transcript and session show it."""
    # Imported where it is used: hardly any stop is interrupted.
    from untildone.process.runner import is_alive

    if _was_interrupted(context, session):
        return _ESC
    if session.has("ended.json"):
        return "the terminal or the client was closed during the checks"
    process = str(session.read_json("session.json").get("process", ""))
    if process.isdecimal() and not is_alive(int(process)):
        return "the client was killed during the checks"
    return ""


def _was_interrupted(context: Context, session: Session) -> bool:
    transcript = str(session.read_json("session.json").get("transcript", ""))
    return context.agent.was_stop_interrupted(read_tail(transcript))


def _record_unjudged(context: Context, loop: str, reason: str) -> None:
    """Write a journal entry; the loop may be gone, or locked by a process that does not answer."""
    loops = context.loops
    with suppress(OSError, UserError, DamagedFileError, LockTimeoutError), loops.lock(loop):
        record = loops.load(loop)
        if record.progress.status == "active":
            data: dict[str, object] = {"reason": reason}
            loops.save(record, record.progress, kind="unjudged", data=data, at=context.now())
