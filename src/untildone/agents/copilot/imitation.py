"""How the drill imitates Copilot."""

from collections.abc import Mapping
from typing import Any

from untildone.agents.imitation import ImitatedAnswer, ImitatedSession
from untildone.agents.json_fields import get_text, parse_object

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


def read_answer(stdout: str) -> ImitatedAnswer:
    """Read lines of progress, which are shown, and the answer behind them."""
    lines = [parse_object(line) for line in stdout.splitlines()]
    shown = [get_text(line, "message") for line in lines if line.get("type") == "progress"]
    holds = [get_text(line, "reason") for line in lines if line.get("decision") == "block"]
    return ImitatedAnswer(hold="".join(holds), notice=" ".join(shown))
