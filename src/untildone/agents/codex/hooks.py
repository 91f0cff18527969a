"""What every hook of Codex needs: its variables, and answers to tool calls. Lean."""

import json
import re

from untildone.agents import CLIENT_PROCESS

SHELL_VARIABLE = "CODEX_SESSION_ID"
# Only the agent's shell has it; hooks find the session in their payload.
SESSION_VARIABLE = SHELL_VARIABLE
PROJECT_VARIABLE = ""
PROCESS_VARIABLE = CLIENT_PROCESS
ATTENDED_VARIABLE = ""
FOLDER_VARIABLE = "CODEX_HOME"
FOLDER = ".codex"
# `config.toml` holds the trust in our hooks.
SETTINGS = ("hooks.json", "config.toml")
COUNTS_CALLS_IN_SHELL = False
# *** Update File: src/a.py
_PATCHED = re.compile(r"^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.M)
# Fields that other clients send and this one does not.
_FOREIGN = frozenset(("conversation_id", "prompt_id", "sessionId", "stop_reason", "timestamp"))


def is_own(payload: dict[str, object], environ: dict[str, str]) -> bool:
    """Say whether Codex sent the payload: a plugin may bring our hooks to several clients."""
    del environ
    return not _FOREIGN & payload.keys()


def translate(event: str, payload: dict[str, object]) -> dict[str, object]:
    """Return the payload in the words that all hooks use.

    It has them but for the prompt's id, a tool's output and the files of a patch. The patch of
    `apply_patch` is in `command`, as are those that the agent gives to that program in the shell.
    """
    del event
    translated = {**payload, "prompt_id": payload.get("turn_id", "")}
    if isinstance(payload.get("tool_response"), str):
        translated["tool_response"] = {"stdout": payload["tool_response"]}
    inputs = payload.get("tool_input")
    patch = inputs.get("command") if isinstance(inputs, dict) else None
    if not isinstance(patch, str) or "*** Begin Patch" not in patch:
        return translated
    cwd = payload.get("cwd")
    base = f"{cwd}/" if isinstance(cwd, str) else ""
    names = dict.fromkeys(_PATCHED.findall(patch))
    paths = [name if name.startswith("/") else base + name for name in names]
    if payload.get("tool_name") != "apply_patch":
        return {**translated, "tool_input": {"command": patch, "file_paths": paths}}
    edit = {"file_path": next(iter(paths), ""), "file_paths": paths}
    return {**translated, "tool_name": "Edit", "tool_input": edit}


def refuse_call(reason: str) -> str:
    decision = {"hookEventName": "PreToolUse", "permissionDecision": "deny"}
    return json.dumps({"hookSpecificOutput": {**decision, "permissionDecisionReason": reason}})


def permit_call(reason: str) -> str:
    """Return no answer: this client knows no permission by a hook, only refusals."""
    del reason
    return ""


def refuse_settings(reason: str) -> str:
    """Return no answer: this client reports no change of its settings."""
    del reason
    return ""


def notify(text: str) -> str:
    """Return the answer that only shows a line to the user."""
    return json.dumps({"systemMessage": text})
