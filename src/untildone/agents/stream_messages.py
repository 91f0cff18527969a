"""A message of the model in the stream of JSON lines that Claude Code and Qwen Code print.

`{"type": "assistant", "message": {"content": [{"type": "text", "text": "…"}], "usage": {…}}}`
"""

from collections.abc import Mapping
from typing import Any

from untildone.agents import headless
from untildone.agents.json_fields import get_count, get_object, get_objects, get_text

_MAX_DETAIL = 200
# The parts of `usage` that fill the model's context.
_TOKENS = (
    *("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
    "output_tokens",
)
# Keys of a tool's input, the most informative first.
_DETAIL_KEYS = ("command", "file_path", "notebook_path", "pattern", "url", "description", "prompt")


def parse_message(entry: Mapping[str, Any]) -> tuple[headless.ClientEvent, ...]:
    """Return the texts and tool calls of a message, and how much of the context is used."""
    message = get_object(entry, "message")
    events: list[headless.ClientEvent] = []
    for block in get_objects(message, "content"):
        match block.get("type"):
            case "text":
                events.append(headless.AgentText(text=get_text(block, "text")))
            case "tool_use":
                events.append(_parse_tool(block))
            case _:
                pass
    # A subagent has its own context, which does not fill this one.
    if entry.get("parent_tool_use_id") is None:
        usage = get_object(message, "usage")
        tokens = sum(get_count(usage, name) for name in _TOKENS)
        events.append(headless.ContextFill(tokens=tokens))
    return tuple(events)


def _parse_tool(block: Mapping[str, Any]) -> headless.Tool:
    inputs = get_object(block, "input")
    texts = (get_text(inputs, key) for key in _DETAIL_KEYS)
    detail = next(filter(None, texts), "")
    return headless.Tool(
        name=get_text(block, "name"), detail=" ".join(detail.split())[:_MAX_DETAIL]
    )
