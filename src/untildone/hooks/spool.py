"""Tool calls: record them where the installed shell line did not (Windows, edit feedback)."""

import json
import os

from untildone.engine.payload import FULL, Call
from untildone.features.edits import switch
from untildone.store.sessions import Session

_MAX_CALL = 65_536


def answer(call: Call) -> str:
    # A payload that is too large to read still shows that a tool call has ended.
    session = Session(call.home, call.agent, call.session)
    if session.get_loop_id() or session.has("dialects"):
        _spool(call, session)
    if call.event == "PostToolBatch" and session.is_meter_due():
        return FULL
    if call.event == "PostToolUse" and session.known and switch.read_modes(call.home):
        from untildone.hooks import edit_record

        return edit_record.answer(call, session)
    return ""


def _spool(call: Call, session: Session) -> None:
    if call.event == "PreCompact":
        session.write("compacting", "")
    elif call.event == "PostToolBatch":
        # Emptied, not removed: their modification time says when the agent last worked.
        session.write("pre", "")
        session.write("post", "")
    else:
        name = os.path.join("calls", str(os.getpid()))
        if session.get_loop_id():
            session.append("post", "\n")
        session.append(name, json.dumps(call.data)[:_MAX_CALL])
