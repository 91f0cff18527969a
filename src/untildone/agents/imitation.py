"""How a client is imitated, so that the drill can fire its hooks without it."""

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct

from untildone.agents.json_fields import get_object, get_text, parse_object


class ImitatedSession(Struct, frozen=True, kw_only=True):
    """A session of the drill; `process` is the id of the process that stands for the client."""

    id: str
    process: str


class ImitatedAnswer(Struct, frozen=True, kw_only=True):
    """What a client takes from a hook's answer: why the agent goes on, a line for the user."""

    hold: str = ""
    notice: str = ""


def read_answer(stdout: str) -> ImitatedAnswer:
    """Read an answer as most clients do: one object with `decision` and `systemMessage`."""
    answer = parse_object(stdout)
    context = get_text(get_object(answer, "hookSpecificOutput"), "additionalContext")
    reason = get_text(answer, "reason") if answer.get("decision") in ("block", "deny") else ""
    return ImitatedAnswer(hold=reason or context, notice=get_text(answer, "systemMessage"))


class Imitation(Protocol):
    # the variables of hooks and of the agent's shell
    def list_variables(self, session: ImitatedSession, /) -> dict[str, str]: ...

    # the payload of an event, from one in the words that all hooks use
    def write_payload(self, event: str, fields: Mapping[str, Any], /) -> dict[str, Any]: ...

    # what the client takes from what a Stop hook printed
    def read_answer(self, stdout: str, /) -> ImitatedAnswer: ...
