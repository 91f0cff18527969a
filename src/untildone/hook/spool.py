"""What the installed line does in shell elsewhere, for systems without one: marks and the spool."""

import json
import os

from untildone.hook.payload import Call
from untildone.store.sessions import Session

_LARGEST_CALL = 65_536


def answer(call: Call) -> str:
    session = Session(call.home, call.agent, call.text("session_id"))
    if not session.loop():
        return ""
    if call.event == "PreCompact":
        session.write("compacting", "")
    elif call.event == "PostToolBatch":
        session.forget_calls()
    else:
        name = os.path.join("calls", str(os.getpid()))
        session.append("post", "\n")
        session.append(name, json.dumps(call.data)[:_LARGEST_CALL])
    return ""
