"""How the drill imitates Qwen Code."""

from collections.abc import Mapping
from typing import Any

from untildone.agents.imitation import ImitatedSession
from untildone.agents.imitation import read_answer as read_answer
from untildone.agents.qwen import hooks


def list_variables(session: ImitatedSession) -> dict[str, str]:
    return {hooks.SESSION_VARIABLE: session.id}


def write_payload(event: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**fields, "hook_event_name": event, "timestamp": "2026-01-01T00:00:00.000Z"}
