"""opencode: the events that our plugin reports, and the answers that it carries out."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from untildone.agents import payloads
from untildone.agents.agent import Hooks
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
from untildone.agents.opencode import hooks
from untildone.agents.opencode.layout import LAYOUT as LAYOUT
from untildone.agents.payloads import parse_session_start as parse_session_start
from untildone.core.verdict import Continue, Finish, Ignore, Pause, Verdict, Wait

if TYPE_CHECKING:
    from untildone.agents.headless import Headless
    from untildone.agents.imitation import Imitation

NAME = "opencode"
HOOKS: Hooks = hooks


def load_imitation() -> "Imitation":
    # Imported here because only the drill needs it.
    from untildone.agents.opencode import imitation

    return imitation


def load_headless() -> "Headless":
    # Imported here because no hook runs a client.
    from untildone.agents.opencode import headless

    return headless


def is_headless(arguments: Sequence[str]) -> bool:
    return "run" in arguments[1:4]


def parse_stop(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Stop:
    return payloads.parse_stop(payload, environ, hooks)


def parse_prompt(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Prompt:
    return payloads.parse_prompt(payload, environ, hooks)


def format_reply(
    verdict: Verdict, *, feedback: str, notice: str, environ: Mapping[str, str]
) -> str:
    del environ
    match verdict:
        case Continue():
            return _format_answer(prompt=feedback or "untildone: not done", notice=notice)
        case Finish() | Pause() | Wait():
            return _format_answer(notice=notice)
        case Ignore():
            return ""


def pass_prompt(_prompt: Prompt, *, context: str, notice: str) -> str:
    return _format_answer(context=context, notice=notice)


def consume_prompt(notice: str) -> str:
    return _format_answer(refuse=notice)


def format_greeting(*, context: str, notice: str) -> str:
    """Return both; after a compaction the plugin adds the context to what the model reads next."""
    return _format_answer(context=context, notice=notice)


def add_context_after_tool(context: str) -> str:
    return _format_answer(context=context)


def end_turn(notice: str) -> str:
    return _format_answer(abort="yes", notice=notice)


def _format_answer(**texts: str) -> str:
    answer = {name: text for name, text in texts.items() if text}
    return json.dumps(answer) if answer else ""
