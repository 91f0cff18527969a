"""How the drill and the demo imitate Claude Code: the variables and payloads of its hooks."""

from collections.abc import Mapping
from typing import Any

from untildone.agents.claude import hooks
from untildone.agents.imitation import ImitatedSession
from untildone.agents.imitation import read_answer as read_answer

# The version of the client that this follows.
_VERSION = "2-1-325"


def list_variables(session: ImitatedSession) -> dict[str, str]:
    return {
        "AI_AGENT": f"claude-code_{_VERSION}_harness",
        "CLAUDECODE": "1",
        "CLAUDE_CODE_ENTRYPOINT": "cli",
        hooks.ATTENDED_VARIABLE: "1",
        hooks.SESSION_VARIABLE: session.id,
        hooks.PROCESS_VARIABLE: session.process,
    }


def write_payload(event: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**fields, "hook_event_name": event}
