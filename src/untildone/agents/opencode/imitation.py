"""How the drill imitates opencode with our plugin in it."""

from collections.abc import Mapping
from typing import Any

from untildone.agents.imitation import ImitatedAnswer, ImitatedSession
from untildone.agents.json_fields import get_text, parse_object
from untildone.agents.opencode import hooks


def list_variables(session: ImitatedSession) -> dict[str, str]:
    return {hooks.SESSION_VARIABLE: session.id}


def write_payload(event: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**fields, "hook_event_name": event}


def read_answer(stdout: str) -> ImitatedAnswer:
    answer = parse_object(stdout)
    hold, notice = (get_text(answer, name) for name in ("prompt", "notice"))
    return ImitatedAnswer(hold=hold, notice=notice)
