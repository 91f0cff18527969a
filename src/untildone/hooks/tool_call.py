"""PreToolUse: refuse tool calls that would change the loop itself, permit reports on it."""

import os

from untildone.commands.agent_calls import is_agent_call
from untildone.engine.payload import Call
from untildone.hooks.guard import Places, find_precheck_refusal, find_refusal
from untildone.store.sessions import Session


def answer(call: Call) -> str:
    session = Session(call.home, call.agent, call.session)
    if not session.get_loop_id():
        return ""
    if os.name == "nt" or not call.client.COUNTS_CALLS_IN_SHELL:
        session.append("pre", "\n")
    reason = _find_reason(call, session)
    if not reason:
        permit = call.client.permit_call
        return str(permit("untildone: a command of the loop")) if _is_permitted(call) else ""
    begun = session.count_begun_calls()
    if begun:
        # The client sends no event at the end of a refused call.
        os.truncate(session.get_path("pre"), begun - 1)
    return str(call.client.refuse_call(f"untildone: {reason}"))


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
    places = Places(
        protected=_list_protected(call),
        folder=call.client.FOLDER,
        user_folder=call.environ.get(call.client.FOLDER_VARIABLE, ""),
        files=call.client.SETTINGS,
    )
    reason = find_refusal(tool, inputs, cwd=cwd, places=places)
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
    project = os.path.realpath(call.project)
    is_source = package.startswith(project + os.sep) and "-packages" not in package
    return (home,) if is_source else (home, package)
