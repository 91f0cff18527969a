"""Qwen Code: its hook payloads, answers and transcripts."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from untildone.agents import payloads
from untildone.agents.agent import Hooks
from untildone.agents.answers import add_context_after_tool as add_context_after_tool
from untildone.agents.answers import consume_prompt as consume_prompt
from untildone.agents.answers import format_greeting as format_greeting
from untildone.agents.answers import format_reply as format_reply
from untildone.agents.answers import pass_prompt as pass_prompt
from untildone.agents.defaults import find_failure as find_failure
from untildone.agents.defaults import find_message as find_message
from untildone.agents.defaults import find_subagents_folder as find_subagents_folder
from untildone.agents.defaults import find_untrusted_hooks as find_untrusted_hooks
from untildone.agents.defaults import format_command as format_command
from untildone.agents.defaults import list_queued_input as list_queued_input
from untildone.agents.defaults import list_todo_paths as list_todo_paths
from untildone.agents.defaults import parse_todo_items as parse_todo_items
from untildone.agents.defaults import was_interrupted as was_interrupted
from untildone.agents.defaults import was_stop_interrupted as was_stop_interrupted
from untildone.agents.events import Prompt, Stop, Usage
from untildone.agents.json_fields import get_count, get_object, get_text, parse_object
from untildone.agents.payloads import parse_session_start as parse_session_start
from untildone.agents.qwen import hooks
from untildone.agents.qwen.layout import CAP, CAP_VARIABLE
from untildone.agents.qwen.layout import LAYOUT as LAYOUT

if TYPE_CHECKING:
    from untildone.agents.headless import Headless
    from untildone.agents.imitation import Imitation

NAME = "qwen"
HOOKS: Hooks = hooks
# What the client takes for a missing or unreadable value.
_DEFAULT_CAP = 8
_HEADLESS = ("-p", "--prompt", "-o", "--output-format")
_INTERACTIVE = ("-i", "--prompt-interactive")
# Options without a value: a word behind one of them is a prompt.
_SWITCHES = ("-y", "--yolo", "-d", "--debug", "-c", "--continue")


def load_imitation() -> "Imitation":
    # Imported here because only the drill needs it.
    from untildone.agents.qwen import imitation

    return imitation


def load_headless() -> "Headless":
    # Imported here because no hook runs a client.
    from untildone.agents.qwen import headless

    return headless


def is_headless(arguments: Sequence[str]) -> bool:
    """Say whether the command line has a prompt that is answered at once.

    `node cli.js "do it"` is such a line, `node cli.js --model NAME` is none.
    """
    names = [argument.partition("=")[0] for argument in arguments]
    if any(name in _INTERACTIVE for name in names):
        return False
    has_prompt = any(
        bool(word) and not word.startswith("-") and (before in _SWITCHES or before[:1] != "-")
        for before, word in pairwise(names[1:])
    )
    return has_prompt or any(name in _HEADLESS for name in names)


def parse_stop(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Stop:
    # The hold that reaches the cap ends the turn already.
    return payloads.parse_stop(
        payload, environ, hooks, cap=read_cap(environ) - 1, cap_counts_calls=True
    )


def read_cap(environ: Mapping[str, str]) -> int:
    """Return at which hold of one prompt the client ends the turn."""
    value = environ.get(CAP_VARIABLE, "").strip()
    number = int(value) if value.isdecimal() else 0
    return min(number, CAP) if number else _DEFAULT_CAP


def parse_prompt(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Prompt:
    return payloads.parse_prompt(payload, environ, hooks)


def end_turn(notice: str) -> str:
    """Return only the notice: `continue: false` would hold the agent in this client."""
    return hooks.notify(notice)


def parse_usage(line: bytes) -> Usage | None:
    entry = parse_object(line) if b'"usageMetadata"' in line else {}
    tokens = get_object(entry, "usageMetadata")
    if entry.get("type") != "assistant" or not tokens:
        return None
    cached = get_count(tokens, "cachedContentTokenCount")
    return Usage(
        id=get_text(entry, "uuid"),
        at=get_text(entry, "timestamp"),
        provider="",
        model=get_text(entry, "model"),
        input_tokens=max(get_count(tokens, "promptTokenCount") - cached, 0),
        output_tokens=get_count(tokens, "candidatesTokenCount"),
        cache_read_tokens=cached,
    )
