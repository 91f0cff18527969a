"""How the drill imitates Gemini CLI."""

from collections.abc import Mapping
from typing import Any

from untildone.agents.gemini import hooks
from untildone.agents.imitation import ImitatedSession
from untildone.agents.imitation import read_answer as read_answer


def list_variables(session: ImitatedSession) -> dict[str, str]:
    return {hooks.SESSION_VARIABLE: session.id}


def write_payload(event: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload; the drill writes no transcript, so none is named."""
    known = {**fields, "hook_event_name": event, "transcript_path": ""}
    message = known.pop("last_assistant_message", None)
    return known if message is None else {**known, "prompt_response": message}
