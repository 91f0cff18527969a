"""Headless calls of opencode: `opencode run --format json`, and the events that it prints."""

import re
from collections.abc import Mapping
from typing import Any

from untildone.agents import headless
from untildone.agents.fault_messages import classify_message
from untildone.agents.json_fields import get_count, get_number, get_object, get_text, parse_object

PROGRAM = "opencode"
SESSION_VARIABLES = frozenset(("AGENT", "OPENCODE", "OPENCODE_PID", "UNTILDONE_OPENCODE_SESSION"))
REMEDIES: dict[headless.ClientFault, str] = {
    "limit": "wait until the limit ends, then `untildone continue`",
    "authentication": "run `opencode auth login`",
    "billing": "add credit to the account of the provider",
    "refused": "read the message above; `-- ARGUMENTS` go to `opencode run`",
    "overloaded": "try again later: `untildone continue`",
    "network": "check the connection, then `untildone continue`",
    "lost": "`untildone run --fresh` starts a new conversation",
    "missing": "install it: `npm install -g opencode-ai`",
    "crashed": "try again: `untildone continue`",
    "denied": "allow it in `opencode.json`, or all of it: `-- --auto`",
}
_MAX_LINE = 8_000_000
_MAX_DETAIL = 200
_MAX_REASON = 500
_REJECTED = re.compile(r"rejected permission|permission.{0,40}\b(rejected|denied)", re.I)
# Keys of a tool's input, the most informative first.
_DETAIL_KEYS = ("command", "filePath", "pattern", "url", "description", "prompt")


def build_arguments(call: headless.ClientCall) -> tuple[str, ...]:
    resumes = call.begun and call.client_session
    session = ("--session", call.client_session) if resumes else ()
    return ("run", "--format", "json", *session, *call.arguments)


def classify_failure(stderr: str) -> headless.ClientFault:
    return classify_message(stderr)


def parse_line(line: bytes) -> tuple[headless.ClientEvent, ...]:
    entry = parse_object(line) if line.startswith(b"{") and len(line) <= _MAX_LINE else {}
    part = get_object(entry, "part")
    match entry.get("type"):
        case "step_start":
            return (headless.SessionNamed(session=get_text(entry, "sessionID")),)
        case "text":
            return (headless.AgentText(text=get_text(part, "text")),)
        case "tool_use":
            return _parse_tool(part)
        case "step_finish":
            return _parse_step(part)
        case "error":
            return (_parse_error(get_object(entry, "error")),)
        case _:
            return ()


def _parse_tool(part: Mapping[str, Any]) -> tuple[headless.ClientEvent, ...]:
    state, name = get_object(part, "state"), get_text(part, "tool")
    inputs = get_object(state, "input")
    detail = next(filter(None, (get_text(inputs, key) for key in _DETAIL_KEYS)), "")
    tool = headless.Tool(name=name, detail=" ".join(detail.split())[:_MAX_DETAIL])
    error = get_text(state, "error")
    if _REJECTED.search(error):
        return tool, headless.Denied(tool=name, reason=error[:_MAX_DETAIL])
    return (tool,)


def _parse_step(part: Mapping[str, Any]) -> tuple[headless.ClientEvent, ...]:
    """Return what the step has used; the last one, which calls no tool, ends the turn."""
    tokens = get_object(part, "tokens")
    cache = get_object(tokens, "cache")
    counts = [get_count(tokens, name) for name in ("input", "output", "reasoning")]
    filled = sum(counts) + get_count(cache, "read") + get_count(cache, "write")
    events: list[headless.ClientEvent] = [headless.ContextFill(tokens=filled)]
    if cost := get_number(part, "cost"):
        events.append(headless.StepCost(cost_usd=cost))
    if part.get("reason") != "tool-calls":
        events.append(headless.Returned(turns=1))
    return tuple(events)


def _parse_error(error: Mapping[str, Any]) -> headless.Returned:
    data = get_object(error, "data")
    reason = get_text(data, "message") or get_text(error, "message") or get_text(error, "name")
    status = get_count(data, "statusCode")
    fault = classify_message(f"{status} {reason}" if status else reason)
    return headless.Returned(fault=fault, reason=reason[:_MAX_REASON])
