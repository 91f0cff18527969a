"""Recognizes events that are reported twice, so that only one of the two reports is answered.

That happens where untildone is installed both as a plugin and in the client's settings: the client
then starts two hook commands for each event. `Call.source` tells them apart.
"""

from pathlib import Path

from msgspec.structs import replace

from untildone.core.progress import Progress
from untildone.engine.context import Context
from untildone.engine.payload import Call
from untildone.store.lock import hold_lock
from untildone.store.loops import Record
from untildone.store.sessions import Session

# Seconds between two reports of one event: the later one may have waited for the other's answer.
_SAME_EVENT = 10.0
# Seconds to wait for the lock.
_PATIENCE = 20.0
# Two installed commands fire for one stop within this many seconds.
_SAME_STOP = 1.5


def is_duplicate_event(context: Context, call: Call) -> bool:
    """Say whether the other installed command has reported this event before.

    If not, the event is written down for the other command.
    """
    session = context.session(call.text("session_id"))
    if not session.known:
        return False
    event = [call.text(key) for key in ("prompt_id", "source", "tool_use_id")]
    name = f"told-{call.event}.json"
    folder = Path(session.folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with hold_lock(folder / "told.lock", timeout=_PATIENCE):
        last = session.read_json(name)
        at = last.get("at")
        is_recent = isinstance(at, float) and call.received < at + _SAME_EVENT
        if is_recent and last.get("event") == event and last.get("by") != call.source:
            return True
        session.write_json(name, {"event": event, "by": call.source, "at": call.received})
    return False


def is_duplicate_stop(progress: Progress, call: Call, session: Session) -> bool:
    """Say whether the other installed command was answered this stop a moment ago.

    Then it has reported more stops than this one.
    """
    most_stops = max(progress.stops_by_source.values(), default=0)
    if progress.stops_by_source.get(call.source, 0) >= most_stops:
        return False
    answered = session.read_json("stop.json").get("answered_at")
    return isinstance(answered, float) and call.received < answered + _SAME_STOP


def count_source(context: Context, record: Record, call: Call) -> None:
    """Record that this installed command has reported the stop too."""
    loops = context.loops
    with loops.lock(record.contract.id):
        record = loops.load(record.contract.id)
        stops = record.progress.stops_by_source
        stops = {**stops, call.source: stops.get(call.source, 0) + 1}
        progress = replace(record.progress, stops_by_source=stops)
        loops.save(
            record, progress, kind="seen twice", data={"source": call.source}, at=context.now()
        )
