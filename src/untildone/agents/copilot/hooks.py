"""What every hook of Copilot needs: its variables, words and answers to tool calls. Lean."""

import json
import re

from untildone.agents import CLIENT_PROCESS

SHELL_VARIABLE = "COPILOT_AGENT_SESSION_ID"
# Only the agent's shell has it; hooks find the session in their payload.
SESSION_VARIABLE = SHELL_VARIABLE
PROJECT_VARIABLE = "COPILOT_PROJECT_DIR"
PROCESS_VARIABLE = CLIENT_PROCESS
ATTENDED_VARIABLE = ""
FOLDER_VARIABLE = "COPILOT_HOME"
FOLDER = ".copilot"
# The files with our hooks, and those that can switch all hooks off.
SETTINGS = (
    *("hooks/untildone.json", "settings.json", "/.github/hooks/untildone.json"),
    *("/.github/copilot/settings.json", "/.github/copilot/settings.local.json"),
)
COUNTS_CALLS_IN_SHELL = False
_TOOLS = {
    "bash": "Bash",
    "powershell": "Bash",
    "create": "Write",
    "edit": "Edit",
    "str_replace_editor": "Edit",
    "apply_patch": "Edit",
    "view": "Read",
    "grep": "Grep",
    "rg": "Grep",
    "glob": "Glob",
    "skill": "Skill",
    "task": "Agent",
    "update_todo": "TodoWrite",
}
_FIELDS = {
    "sessionId": "session_id",
    "transcriptPath": "transcript_path",
    "toolName": "tool_name",
}
_INPUTS = {
    "path": "file_path",
    "file_text": "content",
    "old_str": "old_string",
    "new_str": "new_string",
}
# *** Update File: src/a.py
_PATCHED = re.compile(r"^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.M)
# "new" is a session without a past.
_SOURCES = {"new": "startup"}


def is_own(payload: dict[str, object], environ: dict[str, str]) -> bool:
    """Say whether Copilot sent the payload: other clients do not write `sessionId`."""
    del environ
    return "sessionId" in payload


def translate(event: str, payload: dict[str, object]) -> dict[str, object]:
    """Return the payload in the words that all hooks use."""
    fields = {_FIELDS.get(key, key): value for key, value in payload.items()}
    if event == "SessionStart":
        fields["source"] = _SOURCES.get(str(fields.get("source")), fields.get("source", ""))
    if "tool_name" in fields:
        fields["tool_name"] = _TOOLS.get(str(fields["tool_name"]), fields["tool_name"])
        fields["tool_input"] = _translate_input(fields.pop("toolArgs", None))
    if "toolResult" in fields:
        fields["tool_response"] = _translate_result(fields.pop("toolResult"))
    return fields


def _translate_input(arguments: object) -> dict[str, object]:
    if not isinstance(arguments, dict):
        # A patch, which names its files in its own text.
        names = list(dict.fromkeys(_PATCHED.findall(str(arguments))))
        return {"file_path": next(iter(names), ""), "file_paths": names}
    return {str(_INPUTS.get(key, key)): value for key, value in arguments.items()}


def _translate_result(result: object) -> dict[str, object]:
    text = result.get("textResultForLlm") if isinstance(result, dict) else None
    return {"stdout": text if isinstance(text, str) else ""}


def refuse_call(reason: str) -> str:
    return json.dumps({"permissionDecision": "deny", "permissionDecisionReason": reason})


def permit_call(reason: str) -> str:
    return json.dumps({"permissionDecision": "allow", "permissionDecisionReason": reason})


def refuse_settings(reason: str) -> str:
    """Return no answer: this client reports no change of its settings."""
    del reason
    return ""


def notify(text: str) -> str:
    """Return the answer that only shows a line to the user."""
    return json.dumps({"type": "progress", "message": text})
