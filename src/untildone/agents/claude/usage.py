"""Token usage of one message, from a line of Claude Code's transcript.

`{"timestamp": …, "message": {"id": …, "model": "claude-opus-4-5", "usage": {"input_tokens": 3}}}`
"""

import re
from collections.abc import Mapping
from typing import Any

from untildone.agents.events import Usage
from untildone.agents.json_fields import get_count, get_object, parse_object

# us.anthropic.claude-opus-4-5-20251101-v1:0
_MODEL = re.compile(r"claude-[\w.@-]+?(?=-v\d+(?::\d+)?$|$)")


def parse_usage(line: bytes) -> Usage | None:
    """Parse a line; None if it is no model message. Each part of a message has its own line."""
    if b'"usage"' not in line:
        return None
    entry = parse_object(line)
    message = get_object(entry, "message")
    name, at, model = message.get("id"), entry.get("timestamp"), message.get("model")
    if not (isinstance(name, str) and isinstance(at, str) and isinstance(model, str)):
        return None
    # The client's own messages about limits and failures have the model `<synthetic>`.
    if model.startswith("<"):
        return None
    return _make_usage(name, at, model, get_object(message, "usage"))


def _make_usage(name: str, at: str, model: str, tokens: Mapping[str, Any]) -> Usage:
    match = _MODEL.search(model)
    written = _get_tokens(tokens, "cache_creation_input_tokens")
    for_an_hour = min(
        written, _get_tokens(get_object(tokens, "cache_creation"), "ephemeral_1h_input_tokens")
    )
    return Usage(
        id=name,
        at=at,
        provider="anthropic",
        model=match[0] if match else model,
        input_tokens=_get_tokens(tokens, "input_tokens"),
        output_tokens=_get_tokens(tokens, "output_tokens"),
        cache_read_tokens=_get_tokens(tokens, "cache_read_input_tokens"),
        cache_write_5m_tokens=written - for_an_hour,
        cache_write_1h_tokens=for_an_hour,
        web_searches=_get_tokens(get_object(tokens, "server_tool_use"), "web_search_requests"),
    )


def _get_tokens(tokens: Mapping[str, Any], key: str) -> int:
    count = get_count(tokens, key)
    return count if 0 < count < 1_000_000_000 else 0
