"""How the drill imitates Copilot."""

from collections.abc import Mapping
from typing import Any

from untildone.agents.imitation import ImitatedSession

_NAMES = {"session_id": "sessionId", "transcript_path": "transcriptPath"}
_KNOWN = ("cwd", "prompt", "reason", "source", "stop_hook_active")


def list_variables(session: ImitatedSession) -> dict[str, str]:
    """Return nothing: hooks of Copilot find the session in their payload."""
    del session
    return {}


def write_payload(event: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload, which does not name its event."""
    del event
    known = {name: value for name, value in fields.items() if name in _KNOWN}
    return known | {new: fields[old] for old, new in _NAMES.items() if old in fields}
