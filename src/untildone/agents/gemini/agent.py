"""Gemini CLI: its hook payloads, answers and transcripts."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from untildone.agents import answers, payloads
from untildone.agents.agent import Hooks
from untildone.agents.answers import consume_prompt as consume_prompt
from untildone.agents.answers import end_turn as end_turn
from untildone.agents.answers import format_greeting as format_greeting
from untildone.agents.answers import format_reply as format_reply
from untildone.agents.defaults import find_subagents_folder as find_subagents_folder
from untildone.agents.defaults import find_untrusted_hooks as find_untrusted_hooks
from untildone.agents.defaults import list_queued_input as list_queued_input
from untildone.agents.defaults import list_todo_paths as list_todo_paths
from untildone.agents.defaults import parse_todo_items as parse_todo_items
from untildone.agents.defaults import was_interrupted as was_interrupted
from untildone.agents.defaults import was_stop_interrupted as was_stop_interrupted
from untildone.agents.events import Prompt, Stop, Usage
from untildone.agents.gemini import hooks
from untildone.agents.gemini.layout import LAYOUT as LAYOUT
from untildone.agents.json_fields import get_count, get_object, get_text, parse_object
from untildone.agents.payloads import parse_session_start as parse_session_start

if TYPE_CHECKING:
    from untildone.agents.headless import Headless
    from untildone.agents.imitation import Imitation

NAME = "gemini"
HOOKS: Hooks = hooks
# The client ends a turn without a word after 100 answers in a row without a tool call.
CAP = 98
_HEADLESS = ("-p", "--prompt", "-o", "--output-format")


def load_imitation() -> "Imitation":
    # Imported here because only the drill needs it.
    from untildone.agents.gemini import imitation

    return imitation


def load_headless() -> "Headless":
    # Imported here because no hook runs a client.
    from untildone.agents.gemini import headless

    return headless


def is_headless(arguments: Sequence[str]) -> bool:
    return any(argument.partition("=")[0] in _HEADLESS for argument in arguments)


def parse_stop(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Stop:
    return payloads.parse_stop(payload, environ, hooks, cap=CAP)


def parse_prompt(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Prompt:
    return payloads.parse_prompt(payload, environ, hooks)


def format_command(description: str, prompt: str) -> str:
    """Return TOML."""
    text = prompt.replace("\\", "\\\\").replace('"', '\\"')
    # Escapes in a basic string of TOML are those of JSON.
    return f'description = {json.dumps(description)}\nprompt = """\n{text}"""\n'


def pass_prompt(_prompt: Prompt, *, context: str, notice: str) -> str:
    return answers.add_context("BeforeAgent", context, notice)


def add_context_after_tool(context: str) -> str:
    return answers.add_context("AfterTool", context, "")


def find_message(transcript_tail: str) -> str:
    """Return the text of the model's last message."""
    return get_text(_find_last_entry(transcript_tail, "gemini"), "content")


def find_failure(transcript_tail: str) -> str:
    """Say that the model did not answer if the last message is not its own."""
    last = _find_last_entry(transcript_tail, "gemini", "user")
    return "no answer" if last.get("type") == "user" else ""


def _find_last_entry(transcript_tail: str, *kinds: str) -> dict[str, Any]:
    entries = map(parse_object, reversed(transcript_tail.splitlines()))
    return next((entry for entry in entries if entry.get("type") in kinds), {})


def parse_usage(line: bytes) -> Usage | None:
    """Return the tokens of a message; one with tool calls has two lines with the same id."""
    entry = parse_object(line) if b'"tokens"' in line else {}
    tokens = get_object(entry, "tokens")
    if entry.get("type") != "gemini" or not tokens:
        return None
    cached = get_count(tokens, "cached")
    return Usage(
        id=get_text(entry, "id"),
        at=get_text(entry, "timestamp"),
        provider="google",
        model=get_text(entry, "model"),
        input_tokens=max(get_count(tokens, "input") + get_count(tokens, "tool") - cached, 0),
        output_tokens=get_count(tokens, "output") + get_count(tokens, "thoughts"),
        cache_read_tokens=cached,
    )
