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
        for data in split_files(call.data):
            session.append(name, json.dumps(data)[:_MAX_CALL])


def split_files(data: dict[str, object]) -> list[dict[str, object]]:
    """Return one call for each file of a patch, behind that of the shell if it got the patch."""
    inputs = data.get("tool_input")
    paths = inputs.get("file_paths") if isinstance(inputs, dict) else None
    if not isinstance(paths, list):
        return [data]
    edits = [{**data, "tool_name": "Edit", "tool_input": {"file_path": path}} for path in paths]
    return [data, *edits] if data.get("tool_name") == "Bash" else edits
