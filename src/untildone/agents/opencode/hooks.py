"""What every hook of opencode needs: its variables, and answers to our plugin. Lean.

The plugin (`plugin.js`) sends the payloads and reads the answers; both are ours.
"""

import json

from untildone.agents import CLIENT_PROCESS

SHELL_VARIABLE = "OPENCODE"
# Our plugin sets it in hooks and in the agent's shell.
SESSION_VARIABLE = "UNTILDONE_OPENCODE_SESSION"
PROJECT_VARIABLE = ""
PROCESS_VARIABLE = CLIENT_PROCESS
ATTENDED_VARIABLE = ""
FOLDER_VARIABLE = "OPENCODE_CONFIG_DIR"
FOLDER = ".config/opencode"
SETTINGS = (
    *("plugins/untildone.js", "opencode.json", "opencode.jsonc"),
    *("/.opencode/plugins/untildone.js", "/.opencode/opencode.json", "/.opencode/opencode.jsonc"),
)
COUNTS_CALLS_IN_SHELL = False

_TOOLS = {
    "bash": "Bash",
    "write": "Write",
    "edit": "Edit",
    "read": "Read",
    "task": "Task",
    "todowrite": "TodoWrite",
}
_FIELDS = {"filePath": "file_path", "oldString": "old_string", "newString": "new_string"}


def is_own(payload: dict[str, object], environ: dict[str, str]) -> bool:
    """Say whether our plugin sent the payload: it names the session in this variable too."""
    return environ.get(SESSION_VARIABLE, "") == payload.get("session_id")


def translate(event: str, payload: dict[str, object]) -> dict[str, object]:
    """Return the payload in the words that all hooks use: tools have other names here."""
    del event
    tool, inputs = payload.get("tool_name"), payload.get("tool_input")
    translated = dict(payload)
    if isinstance(tool, str):
        translated["tool_name"] = _TOOLS.get(tool, tool)
    if isinstance(inputs, dict):
        translated["tool_input"] = {_FIELDS.get(name, name): inputs[name] for name in inputs}
    return translated


def refuse_call(reason: str) -> str:
    return json.dumps({"refuse": reason})


def permit_call(reason: str) -> str:
    """Return no answer: a plugin cannot permit a tool call, only refuse it."""
    del reason
    return ""


def refuse_settings(reason: str) -> str:
    """Return no answer: this client reports no change of its settings."""
    del reason
    return ""


def notify(text: str) -> str:
    """Return the answer that only shows a line to the user."""
    return json.dumps({"notice": text})
