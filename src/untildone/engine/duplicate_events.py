"""Plugin and settings both installed tell every event twice: one of the two is answered."""

from pathlib import Path

from untildone.engine.context import Context
from untildone.engine.payload import Call
from untildone.store.lock import hold_lock

# Both commands are started together; the later one may have waited for the other's answer.
_SAME_EVENT = 10.0
_PATIENCE = 20.0


def told_before(context: Context, call: Call) -> bool:
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
