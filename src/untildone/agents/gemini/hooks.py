"""What every hook of Gemini CLI needs: its variables, its words, answers to tool calls. Lean."""

import json

from untildone.agents import CLIENT_PROCESS
from untildone.agents.tool_words import translate_call

# The shell has no session id: the client's process leads to the session.
SHELL_VARIABLE = "GEMINI_CLI"
SESSION_VARIABLE = "GEMINI_SESSION_ID"
PROJECT_VARIABLE = "GEMINI_PROJECT_DIR"
PROCESS_VARIABLE = CLIENT_PROCESS
ATTENDED_VARIABLE = ""
# `GEMINI_CLI_HOME` names the folder that holds this one, not this one.
FOLDER_VARIABLE = ""
FOLDER = ".gemini"
SETTINGS = ("settings.json",)
COUNTS_CALLS_IN_SHELL = False


def is_own(payload: dict[str, object], environ: dict[str, str]) -> bool:
    """Say whether Gemini CLI sent the payload: only its hooks have this variable."""
    return environ.get(SESSION_VARIABLE, "") == payload.get("session_id")


def translate(event: str, payload: dict[str, object]) -> dict[str, object]:
    """Return the payload in the words that all hooks use.

    `prompt_response` has every answer since the user's prompt ("first\\nsecond"), so the last
    message is read from the transcript, if there is one.
    """
    if event == "Stop" and not payload.get("transcript_path"):
        return {**payload, "last_assistant_message": payload.get("prompt_response", "")}
    return translate_call(payload)


def refuse_call(reason: str) -> str:
    return json.dumps({"decision": "deny", "reason": reason})


def permit_call(reason: str) -> str:
    """Return no answer: a hook of this client cannot spare the user a question."""
    del reason
    return ""


def refuse_settings(reason: str) -> str:
    """Return no answer: this client reports no change of its settings."""
    del reason
    return ""


def notify(text: str) -> str:
    """Return the answer that only shows a line to the user."""
    return json.dumps({"systemMessage": text})
