"""How the drill imitates Cursor."""

from collections.abc import Mapping
from typing import Any

from untildone.agents.imitation import ImitatedAnswer, ImitatedSession
from untildone.agents.json_fields import get_text, parse_object


def list_variables(session: ImitatedSession) -> dict[str, str]:
    """Return nothing: hooks of Cursor find the session in their payload."""
    del session
    return {}


def write_payload(event: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    conversation = {"conversation_id": fields["session_id"], "hook_event_name": event}
    stop = {"status": "completed", "loop_count": int(bool(fields.get("stop_hook_active")))}
    return {**conversation, "workspace_roots": [fields["cwd"]], "cwd": fields["cwd"], **stop}


def read_answer(stdout: str) -> ImitatedAnswer:
    answer = parse_object(stdout)
    hold, notice = (get_text(answer, name) for name in ("followup_message", "user_message"))
    return ImitatedAnswer(hold=hold, notice=notice)
