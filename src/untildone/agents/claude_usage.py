"""What a line of Claude Code's transcript says of the tokens of one message."""

import json
import re
from collections.abc import Mapping
from typing import Any

from untildone.agents.events import Usage

# us.anthropic.claude-opus-4-5-20251101-v1:0
_MODEL = re.compile(r"claude-[\w.@-]+?(?=-v\d+(?::\d+)?$|$)")


def parse_usage(line: bytes) -> Usage | None:
    """None for what is no answer of a model; a message stands in a line for each of its parts."""
    if b'"usage"' not in line:
        return None
    entry = _entry(line)
    message = _inner(entry, "message")
    name, at, model = message.get("id"), entry.get("timestamp"), message.get("model")
    if not (isinstance(name, str) and isinstance(at, str) and isinstance(model, str)):
        return None
    # What the client says itself, of a limit or a failure, has the model `<synthetic>`.
    return None if model.startswith("<") else _counted(name, at, model, _inner(message, "usage"))


def _entry(line: bytes) -> Mapping[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _counted(name: str, at: str, model: str, tokens: Mapping[str, Any]) -> Usage:
    known = _MODEL.search(model)
    written = _number(tokens, "cache_creation_input_tokens")
    for_an_hour = min(
        written, _number(_inner(tokens, "cache_creation"), "ephemeral_1h_input_tokens")
    )
    return Usage(
        id=name,
        at=at,
        provider="anthropic",
        model=known[0] if known else model,
        input_tokens=_number(tokens, "input_tokens"),
        output_tokens=_number(tokens, "output_tokens"),
        cache_read_tokens=_number(tokens, "cache_read_input_tokens"),
        cache_write_5m_tokens=written - for_an_hour,
        cache_write_1h_tokens=for_an_hour,
        web_searches=_number(_inner(tokens, "server_tool_use"), "web_search_requests"),
    )


def _inner(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def _number(tokens: Mapping[str, Any], key: str) -> int:
    value = tokens.get(key)
    return value if isinstance(value, int) and 0 < value < 1_000_000_000 else 0
