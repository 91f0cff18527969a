"""What an agent reports while it works: the notifications `session/update`."""

import re
from collections.abc import Mapping
from typing import Any

from untildone.agents import headless
from untildone.agents.json_fields import get_object, get_objects, get_text

_MAX_DETAIL = 200
# Copilot CLI 1.0.102 reports a failed request in one piece of text and ends the turn as usual:
# Error: 400 the request is too long
# Error: Authentication failed with provider at http://127.0.0.1:45045/v1 (HTTP 401).
# Error: Failed to get response from the AI model; retried 5 times (…) Last error: 429 slow down
_FAILURE = re.compile(
    r"Error: (?:\d{3} |[^\n]*\(HTTP \d{3}\)|Failed to get response from the AI model)"
)
# The user's choices in a request for permission, the best first.
_ALLOWING = ("allow_once", "allow_always")
_REJECTING = ("reject_once", "reject_always")


def get_chunk(update: Mapping[str, Any]) -> str:
    """Return a part of the agent's message; empty for other updates."""
    if update.get("sessionUpdate") != "agent_message_chunk":
        return ""
    return get_text(get_object(update, "content"), "text")


def is_failure(chunk: str) -> bool:
    """Say whether a part of the message is the client's report of a failed request."""
    return _FAILURE.match(chunk) is not None


def parse_tool(call: Mapping[str, Any]) -> headless.Tool:
    title = " ".join(get_text(call, "title").split())
    return headless.Tool(name=get_text(call, "kind") or "tool", detail=title[:_MAX_DETAIL])


def choose_option(request: Mapping[str, Any], *, allows: bool) -> str:
    """Return the id of the option that allows or rejects, for once if possible; empty if none."""
    by_kind = {
        get_text(option, "kind"): get_text(option, "optionId")
        for option in get_objects(request, "options")
    }
    kinds = _ALLOWING if allows else _REJECTING
    return next((by_kind[kind] for kind in kinds if by_kind.get(kind)), "")
