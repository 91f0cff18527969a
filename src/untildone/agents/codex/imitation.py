"""How the drill imitates Codex."""

from collections.abc import Mapping
from typing import Any

from untildone.agents.imitation import ImitatedSession
from untildone.agents.imitation import read_answer as read_answer


def list_variables(session: ImitatedSession) -> dict[str, str]:
    """Return nothing: hooks of Codex find the session in their payload."""
    del session
    return {}


def write_payload(event: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    known = {name: value for name, value in fields.items() if name != "prompt_id"}
    turn = fields.get("prompt_id", "")
    return {**known, "hook_event_name": event, "turn_id": turn, "model": "drill"}
