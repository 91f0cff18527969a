"""Plugin and settings both installed report every event twice: one of the two is answered."""

from pathlib import Path

from msgspec.structs import replace

from untildone.core.progress import Progress
from untildone.engine.context import Context
from untildone.engine.payload import Call
from untildone.store.lock import hold_lock
from untildone.store.loops import Record
from untildone.store.sessions import Session

# Both commands are started together; the later one may have waited for the other's answer.
_SAME_EVENT = 10.0
_PATIENCE = 20.0
# Two installed commands fire for one stop within this many seconds.
_SAME_STOP = 1.5


def is_duplicate_event(context: Context, call: Call) -> bool:
    """Whether another of our installed commands has taken this very event."""
    session = context.session(call.text("session_id"))
    if not session.known:
        return False
    event = [call.text(key) for key in ("prompt_id", "source", "tool_use_id")]
    name = f"told-{call.event}.json"
    folder = Path(session.folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with hold_lock(folder / "told.lock", timeout=_PATIENCE):
        known = session.read_json(name)
        at = known.get("at")
        recent = isinstance(at, float) and call.received < at + _SAME_EVENT
        if recent and known.get("event") == event and known.get("by") != call.source:
            return True
        session.write_json(name, {"event": event, "by": call.source, "at": call.received})
    return False


def is_duplicate_stop(progress: Progress, call: Call, session: Session) -> bool:
    """Whether another of our installed commands was answered this very stop already."""
    stops = max(progress.stops_by_source.values(), default=0)
    mine = progress.stops_by_source.get(call.source, 0)
    if mine >= stops:
        return False
    answered = session.read_json("stop.json").get("answered_at")
    return isinstance(answered, float) and call.received < answered + _SAME_STOP


def count_source(context: Context, record: Record, call: Call) -> None:
    """Records that this installed command has reported the stop too."""
    loops = context.loops
    with loops.lock(record.contract.id):
        record = loops.load(record.contract.id)
        mine = record.progress.stops_by_source.get(call.source, 0) + 1
        counted = {**record.progress.stops_by_source, call.source: mine}
        progress = replace(record.progress, stops_by_source=counted)
        loops.save(
            record, progress, kind="seen twice", data={"source": call.source}, at=context.now()
        )
