"""Token usage of one answer, from a line of Codex's transcript; the model is in another line.

{"timestamp": …, "type": "turn_context", "payload": {"model": "gpt-5.5", …}}
{"timestamp": …, "type": "token_usage_record", "payload": {"response_id": …, "usage": {…}}}
"""

from collections.abc import Mapping
from typing import Any

from untildone.agents.events import Usage
from untildone.agents.json_fields import get_count, get_object, get_text, parse_object

_MAX_TOKENS = 1_000_000_000


def parse_usage(line: bytes) -> Usage | None:
    """Parse a line; None if it names neither tokens nor the model of the answers behind it."""
    if b'"token_usage_record"' not in line and b'"turn_context"' not in line:
        return None
    entry = parse_object(line)
    payload, at = get_object(entry, "payload"), get_text(entry, "timestamp")
    if entry.get("type") == "turn_context":
        model = get_text(payload, "model")
        return Usage(id="", at=at, provider="openai", model=model) if model else None
    name = get_text(payload, "response_id")
    return _make_usage(name, at, get_object(payload, "usage")) if name else None


def _make_usage(name: str, at: str, tokens: Mapping[str, Any]) -> Usage:
    cached = _get_tokens(tokens, "cached_input_tokens")
    return Usage(
        id=name,
        at=at,
        provider="openai",
        model="",
        # It counts the cached ones too.
        input_tokens=max(_get_tokens(tokens, "input_tokens") - cached, 0),
        output_tokens=_get_tokens(tokens, "output_tokens"),
        cache_read_tokens=cached,
    )


def _get_tokens(tokens: Mapping[str, Any], key: str) -> int:
    count = get_count(tokens, key)
    return count if 0 < count < _MAX_TOKENS else 0
