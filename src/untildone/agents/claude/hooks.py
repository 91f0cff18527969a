"""What every hook of Claude Code needs: its variables, and answers to tool calls. Lean."""

import json

SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"
SHELL_VARIABLE = SESSION_VARIABLE
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
PROCESS_VARIABLE = "CLAUDE_PID"
ATTENDED_VARIABLE = "CLAUDE_CODE_SESSION_ATTENDED"
# The folder of the user's settings, if it is not the one in the home.
FOLDER_VARIABLE = "CLAUDE_CONFIG_DIR"
FOLDER = ".claude"
# Files in that folder, of the user or of a project, that can hold our hooks.
SETTINGS = ("settings.json", "settings.local.json")
# Our lines know the session by its variable.
COUNTS_CALLS_IN_SHELL = True

# Fields that other clients send and this one does not.
_FOREIGN = frozenset(
    (
        *("conversation_id", "cursor_version", "generation_id", "sessionId", "stop_reason"),
        *("timestamp", "turn_id", "workspace_roots"),
    )
)


def is_own(payload: dict[str, object], environ: dict[str, str]) -> bool:
    """Say whether Claude Code sent the payload: Copilot and Cursor read its settings too."""
    session = environ.get(SESSION_VARIABLE)
    if session and session == payload.get("session_id"):
        return True
    names_mode_and_model = {"model", "permission_mode"} <= payload.keys()
    return not (names_mode_and_model or _FOREIGN & payload.keys())


def translate(event: str, payload: dict[str, object]) -> dict[str, object]:
    """Return the payload in the words that all hooks use: they are this client's own."""
    del event
    return payload


def refuse_call(reason: str) -> str:
    return _decide("deny", reason)


def permit_call(reason: str) -> str:
    return _decide("allow", reason)


def _decide(decision: str, reason: str) -> str:
    return json.dumps(
        {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": decision,
                "permissionDecisionReason": reason,
            }
        }
    )


def refuse_settings(reason: str) -> str:
    return json.dumps({"decision": "block", "reason": reason, "systemMessage": reason})


def notify(text: str) -> str:
    """Return the answer that only shows a line to the user."""
    return json.dumps({"systemMessage": text})
