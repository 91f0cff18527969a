"""PreToolUse: refuse tool calls that would change the loop itself, permit reports on it."""

import json
import os

from untildone.commands.agent_calls import is_agent_call
from untildone.engine.payload import Call
from untildone.hooks.guard import find_precheck_refusal, find_refusal
from untildone.store.sessions import Session


def answer(call: Call) -> str:
    # A payload that could not be read names no session.
    session_id = (
        call.environ.get("CLAUDE_CODE_SESSION_ID", "") if call.fault else call.text("session_id")
    )
    session = Session(call.home, call.agent, session_id)
    if not session.get_loop_id():
        return ""
    if os.name == "nt":
        # On other systems the installed shell line does this.
        session.append("pre", "\n")
    reason = _find_reason(call, session)
    if not reason:
        return _format_decision("allow", "a command of the loop") if _is_permitted(call) else ""
    begun = session.count_begun_calls()
    if begun:
        # The client sends no event at the end of a refused call.
        os.truncate(session.get_path("pre"), begun - 1)
    return _format_decision("deny", reason)


def _format_decision(decision: str, reason: str) -> str:
    return json.dumps(
        {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": decision,
                "permissionDecisionReason": f"untildone: {reason}",
            }
        }
    )


def _is_permitted(call: Call) -> bool:
    """Say whether the client need not ask the user: we gave this command to the agent.

    A plugin has no permission rules, and a rule for `check` would hold without a loop too.
    """
    inputs = call.data.get("tool_input")
    command = inputs.get("command") if isinstance(inputs, dict) else None
    is_shell = call.text("tool_name") == "Bash" and call.text("permission_mode") != "plan"
    return is_shell and isinstance(command, str) and is_agent_call(command)


def _find_reason(call: Call, session: Session) -> str:
    if call.fault:
        return f"{call.fault}, so it cannot be checked; make the call smaller"
    inputs = call.data.get("tool_input")
    if not isinstance(inputs, dict):
        return ""
    tool, cwd = call.text("tool_name"), call.text("cwd") or os.getcwd()
    reason = find_refusal(tool, inputs, cwd=cwd, protected=_list_protected(call))
    if reason or not session.has("precheck") or _has_printed_precheck(session):
        return reason
    return find_precheck_refusal(tool, inputs)


def _has_printed_precheck(session: Session) -> bool:
    """Say whether a shell that cannot write our state printed the pre-check.

    It is recorded at the next stop.
    """
    marker = 'untildone-verb: {"verb": "precheck"'
    calls = (call for part in session.read_calls().values() for call in part)
    return any(marker in str(call.get("tool_response")) for call in calls)


def _list_protected(call: Call) -> tuple[str, ...]:
    """Return the state folder and our package, unless the project is our own source."""
    home = os.path.realpath(call.home)
    package = os.path.realpath(os.path.dirname(os.path.dirname(__file__)))
    project = os.path.realpath(call.environ.get("CLAUDE_PROJECT_DIR") or call.text("cwd"))
    is_source = package.startswith(project + os.sep) and "-packages" not in package
    return (home,) if is_source else (home, package)
