"""Cursor: its hook payloads and answers, as documented."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from untildone.agents import payloads
from untildone.agents.agent import Hooks
from untildone.agents.cursor import hooks
from untildone.agents.cursor.layout import LAYOUT as LAYOUT
from untildone.agents.defaults import find_failure as find_failure
from untildone.agents.defaults import find_message as find_message
from untildone.agents.defaults import find_subagents_folder as find_subagents_folder
from untildone.agents.defaults import find_untrusted_hooks as find_untrusted_hooks
from untildone.agents.defaults import format_command as format_command
from untildone.agents.defaults import list_queued_input as list_queued_input
from untildone.agents.defaults import list_todo_paths as list_todo_paths
from untildone.agents.defaults import parse_todo_items as parse_todo_items
from untildone.agents.defaults import parse_usage as parse_usage
from untildone.agents.defaults import was_interrupted as was_interrupted
from untildone.agents.defaults import was_stop_interrupted as was_stop_interrupted
from untildone.agents.events import Prompt, Stop
from untildone.agents.payloads import parse_session_start as parse_session_start
from untildone.core.verdict import Continue, Finish, Ignore, Pause, Verdict, Wait

if TYPE_CHECKING:
    from untildone.agents.headless import Headless
    from untildone.agents.imitation import Imitation

NAME = "cursor"
HOOKS: Hooks = hooks


def load_imitation() -> "Imitation":
    # Imported here because only the drill needs it.
    from untildone.agents.cursor import imitation

    return imitation


def load_headless() -> "Headless":
    # Imported here because no hook runs a client.
    from untildone.agents.cursor import headless

    return headless


def is_headless(arguments: Sequence[str]) -> bool:
    return "-p" in arguments or "--print" in arguments


def parse_stop(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Stop:
    stop = payloads.parse_stop(payload, environ, hooks)
    # The others are "aborted", by the user, and "error".
    return replace(stop, interrupted=payload.get("status", "completed") != "completed")


def parse_prompt(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Prompt:
    return payloads.parse_prompt(payload, environ, hooks)


def format_reply(
    verdict: Verdict, *, feedback: str, notice: str, environ: Mapping[str, str]
) -> str:
    """Return the next message for the agent; the client shows no notice at a stop."""
    del notice, environ
    match verdict:
        case Continue():
            return json.dumps({"followup_message": feedback or "untildone: not done"})
        case Finish() | Pause() | Wait() | Ignore():
            return ""


def pass_prompt(_prompt: Prompt, *, context: str, notice: str) -> str:
    """Return no answer: the client adds nothing to a prompt that it passes on."""
    del context, notice
    return ""


def consume_prompt(notice: str) -> str:
    return json.dumps({"continue": False, "user_message": notice})


def format_greeting(*, context: str, notice: str) -> str:
    del notice
    return add_context_after_tool(context) if context else ""


def add_context_after_tool(context: str) -> str:
    return json.dumps({"additional_context": context})


def end_turn(notice: str) -> str:
    """Return the notice alone: no answer of a hook ends a turn of this client."""
    return hooks.notify(notice)
