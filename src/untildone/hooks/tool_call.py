"""PreToolUse: refuses calls that would touch the loop itself."""

import json
import os

from untildone.engine.payload import Call
from untildone.hooks.guard import find_precheck_refusal, find_refusal
from untildone.store.sessions import Session


def answer(call: Call) -> str:
    session = Session(call.home, call.agent, _session(call))
    if not session.get_loop_id():
        return ""
    if os.name == "nt":
        # Elsewhere the installed line has done it in shell.
        session.append("pre", "\n")
    reason = _refusal(call, session)
    if not reason:
        return ""
    _never_ends(session)
    return json.dumps(
        {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": f"untildone: {reason}",
            }
        }
    )


def _session(call: Call) -> str:
    """A payload that could not be read still came from somewhere."""
    return call.environ.get("CLAUDE_CODE_SESSION_ID", "") if call.fault else call.text("session_id")


def _refusal(call: Call, session: Session) -> str:
    if call.fault:
        return f"{call.fault}, so it cannot be looked at; make the call smaller"
    inputs = call.data.get("tool_input")
    if not isinstance(inputs, dict):
        return ""
    tool, cwd = call.text("tool_name"), call.text("cwd") or os.getcwd()
    reason = find_refusal(tool, inputs, cwd=cwd, protected=_protected(call))
    if reason or not session.has("precheck") or _printed(session):
        return reason
    return find_precheck_refusal(tool, inputs)


def _printed(session: Session) -> bool:
    """The pre-check of an agent whose shell cannot write our state is recorded at its stop."""
    said = 'untildone-verb: {"verb": "precheck"'
    ended = (call for part in session.read_calls().values() for call in part)
    return any(said in str(call.get("tool_response")) for call in ended)


def _protected(call: Call) -> tuple[str, ...]:
    """The state and the program, unless the project is the program's own source."""
    home = os.path.realpath(call.home)
    package = os.path.realpath(os.path.dirname(os.path.dirname(__file__)))
    project = os.path.realpath(call.environ.get("CLAUDE_PROJECT_DIR") or call.text("cwd"))
    source = package.startswith(project + os.sep) and "-packages" not in package
    return (home,) if source else (home, package)


def _never_ends(session: Session) -> None:
    """A refused call fires no event at its end, so it must not seem to be in flight."""
    begun = session.count_begun_calls()
    if begun:
        os.truncate(session.path("pre"), begun - 1)
