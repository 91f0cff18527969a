"""What every hook of Cursor needs: its variables, words and answers to tool calls. Lean."""

import json

from untildone.agents import CLIENT_PROCESS

SHELL_VARIABLE = "CURSOR_AGENT"
# No variable names the session; hooks find it in their payload.
SESSION_VARIABLE = ""
PROJECT_VARIABLE = "CURSOR_PROJECT_DIR"
PROCESS_VARIABLE = CLIENT_PROCESS
ATTENDED_VARIABLE = ""
FOLDER_VARIABLE = ""
FOLDER = ".cursor"
SETTINGS = ("hooks.json",)
COUNTS_CALLS_IN_SHELL = False
_TOOLS = {"Shell": "Bash", "Delete": "Write"}


def is_own(payload: dict[str, object], environ: dict[str, str]) -> bool:
    """Say whether Cursor sent the payload: no other client has conversations with workspaces."""
    del environ
    return "conversation_id" in payload


def translate(event: str, payload: dict[str, object]) -> dict[str, object]:
    """Return the payload in the words that all hooks use."""
    fields = {
        **payload,
        "session_id": payload.get("conversation_id", ""),
        "prompt_id": payload.get("generation_id", ""),
        "cwd": payload.get("cwd") or _find_root(payload.get("workspace_roots")),
    }
    if event == "Stop":
        fields["stop_hook_active"] = payload.get("loop_count", 0) != 0
    elif event == "SessionStart":
        fields["source"] = "startup"
    elif event == "AgentResponse":
        fields["last_assistant_message"] = payload.get("text", "")
    if "tool_name" in fields:
        fields["tool_name"] = _TOOLS.get(str(fields["tool_name"]), fields["tool_name"])
        fields["tool_input"] = _translate_input(payload)
    if "tool_output" in fields:
        fields["tool_response"] = _translate_output(fields.pop("tool_output"))
    return fields


def _find_root(roots: object) -> str:
    return str(roots[0]) if isinstance(roots, list) and roots else ""


def _translate_input(payload: dict[str, object]) -> dict[str, object]:
    inputs = payload.get("tool_input")
    fields = dict(inputs) if isinstance(inputs, dict) else {}
    if payload["tool_name"] == "Delete":
        # It leaves nothing of the file.
        fields["content"] = ""
    return fields


def _translate_output(output: object) -> dict[str, object]:
    """Return the result of a tool, which is JSON in a text."""
    try:
        value = json.loads(output) if isinstance(output, str) else output
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"stdout": str(output)}


def refuse_call(reason: str) -> str:
    return _decide("deny", reason)


def permit_call(reason: str) -> str:
    return _decide("allow", reason)


def _decide(decision: str, reason: str) -> str:
    # Versions of the documentation differ in the names of the fields.
    new = {"permission": decision, "user_message": reason, "agent_message": reason}
    return json.dumps({**new, "decision": decision, "reason": reason})


def refuse_settings(reason: str) -> str:
    """Return no answer: this client reports no change of its settings."""
    del reason
    return ""


def notify(text: str) -> str:
    """Return the answer that only shows a line to the user."""
    return json.dumps({"user_message": text})
