"""PreToolUse: refuses calls that would touch the loop itself."""

import json
import os

from untildone.hook.payload import Call
from untildone.integrity.guard import refusal
from untildone.store.sessions import Session


def answer(call: Call) -> str:
    inputs = call.data.get("tool_input")
    if not isinstance(inputs, dict):
        return ""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    protected = (os.path.realpath(call.home), os.path.realpath(package))
    cwd = call.text("cwd") or os.getcwd()
    reason = refusal(call.text("tool_name"), inputs, cwd=cwd, protected=protected)
    if not reason:
        return ""
    _never_ends(call)
    return json.dumps(
        {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": f"untildone: {reason}",
            }
        }
    )


def _never_ends(call: Call) -> None:
    """A refused call fires no event at its end, so it must not seem to be in flight."""
    session = Session(call.home, call.agent, call.text("session_id"))
    begun = session.calls_begun()
    if session.known and begun:
        os.truncate(session.path("pre"), begun - 1)
