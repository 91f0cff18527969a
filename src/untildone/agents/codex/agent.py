"""Codex: its hook payloads and answers."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from untildone.agents import payloads
from untildone.agents.agent import Hooks
from untildone.agents.answers import add_context_after_tool as add_context_after_tool
from untildone.agents.answers import consume_prompt as consume_prompt
from untildone.agents.answers import end_turn as end_turn
from untildone.agents.answers import format_greeting as format_greeting
from untildone.agents.answers import format_reply as format_reply
from untildone.agents.answers import pass_prompt as pass_prompt
from untildone.agents.codex import hooks
from untildone.agents.codex.layout import LAYOUT as LAYOUT
from untildone.agents.codex.usage import parse_usage as parse_usage
from untildone.agents.defaults import find_failure as find_failure
from untildone.agents.defaults import find_message as find_message
from untildone.agents.defaults import find_subagents_folder as find_subagents_folder
from untildone.agents.defaults import format_command as format_command
from untildone.agents.defaults import list_queued_input as list_queued_input
from untildone.agents.defaults import list_todo_paths as list_todo_paths
from untildone.agents.defaults import parse_todo_items as parse_todo_items
from untildone.agents.defaults import was_interrupted as was_interrupted
from untildone.agents.defaults import was_stop_interrupted as was_stop_interrupted
from untildone.agents.events import Prompt, Stop
from untildone.agents.layout import UntrustedHook
from untildone.agents.payloads import parse_session_start as parse_session_start

if TYPE_CHECKING:
    from untildone.agents.headless import Headless
    from untildone.agents.imitation import Imitation

NAME = "codex"
HOOKS: Hooks = hooks


def load_imitation() -> "Imitation":
    # Imported here because only the drill needs it.
    from untildone.agents.codex import imitation

    return imitation


def load_headless() -> "Headless":
    # Imported here because no hook runs a client.
    from untildone.agents.codex import headless

    return headless


def find_untrusted_hooks(
    files: tuple[str, ...], settings: Mapping[str, Any], trust: str, project: str
) -> tuple[UntrustedHook, ...]:
    # Imported here because no hook asks this.
    from untildone.agents.codex.trust import find_untrusted_hooks as find

    return find(files, settings, trust, project)


def is_headless(arguments: Sequence[str]) -> bool:
    return "exec" in arguments


def parse_stop(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Stop:
    return payloads.parse_stop(payload, environ, hooks)


def parse_prompt(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Prompt:
    return payloads.parse_prompt(payload, environ, hooks)
