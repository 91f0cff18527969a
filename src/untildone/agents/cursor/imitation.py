"""How the drill imitates Cursor."""

from collections.abc import Mapping
from typing import Any

from untildone.agents.imitation import ImitatedSession


def list_variables(session: ImitatedSession) -> dict[str, str]:
    """Return nothing: hooks of Cursor find the session in their payload."""
    del session
    return {}


def write_payload(event: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    conversation = {"conversation_id": fields["session_id"], "hook_event_name": event}
    stop = {"status": "completed", "loop_count": int(bool(fields.get("stop_hook_active")))}
    return {**conversation, "workspace_roots": [fields["cwd"]], "cwd": fields["cwd"], **stop}
