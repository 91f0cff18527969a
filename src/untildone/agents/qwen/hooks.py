"""What every hook of Qwen Code needs: its variables, its words, answers to tool calls. Lean."""

import json

from untildone.agents import CLIENT_PROCESS
from untildone.agents.tool_words import translate_call

SHELL_VARIABLE = "QWEN_CODE"
SESSION_VARIABLE = "QWEN_CODE_SESSION_ID"
PROJECT_VARIABLE = "QWEN_PROJECT_DIR"
PROCESS_VARIABLE = CLIENT_PROCESS
ATTENDED_VARIABLE = ""
FOLDER_VARIABLE = "QWEN_HOME"
FOLDER = ".qwen"
SETTINGS = ("settings.json",)
COUNTS_CALLS_IN_SHELL = False


def is_own(payload: dict[str, object], environ: dict[str, str]) -> bool:
    """Say whether Qwen Code sent the payload: only its hooks have this variable."""
    return environ.get(SESSION_VARIABLE, "") == payload.get("session_id")


def translate(event: str, payload: dict[str, object]) -> dict[str, object]:
    """Return the payload in the words that all hooks use."""
    if event != "Stop":
        return translate_call(payload)
    tasks = payload.get("background_tasks")
    running = [
        # The list has finished tasks too; all of them are subagents.
        {**task, "type": "subagent"}
        for task in (tasks if isinstance(tasks, list) else ())
        if isinstance(task, dict) and task.get("status") == "running"
    ]
    return {**payload, "background_tasks": running, "session_crons": payload.get("crons", [])}


def refuse_call(reason: str) -> str:
    return _decide("deny", reason)


def permit_call(reason: str) -> str:
    return _decide("allow", reason)


def _decide(decision: str, reason: str) -> str:
    fields = {"hookEventName": "PreToolUse", "permissionDecision": decision}
    return json.dumps({"hookSpecificOutput": {**fields, "permissionDecisionReason": reason}})


def refuse_settings(reason: str) -> str:
    """Return no answer: this client reports no change of its settings."""
    del reason
    return ""


def notify(text: str) -> str:
    """Return the answer that only shows a line to the user."""
    return json.dumps({"systemMessage": text})
