"""Headless calls of Cursor: `cursor-agent -p --output-format stream-json`, as documented."""

import re
from collections.abc import Mapping
from typing import Any

from untildone.agents import headless
from untildone.agents.fault_messages import FaultMessages, classify_message
from untildone.agents.json_fields import get_object, get_objects, get_text, parse_object

PROGRAM = "cursor-agent"
SESSION_VARIABLES = frozenset(("CURSOR_AGENT", "CURSOR_TRACE_ID"))
REMEDIES: dict[headless.ClientFault, str] = {
    "limit": "wait until the limit ends, then `untildone continue`",
    "authentication": "run `cursor-agent login`, or set `CURSOR_API_KEY`",
    "billing": "see your plan of Cursor",
    "refused": "read the message above; `-- ARGUMENTS` go to `cursor-agent`",
    "overloaded": "try again later: `untildone continue`",
    "network": "check the connection, then `untildone continue`",
    "lost": "`untildone run --fresh` starts a new conversation",
    "missing": "install the CLI of Cursor, or name it with `--client COMMAND`",
    "crashed": "try again: `untildone continue`",
    "denied": "allow it: `-- --force`",
}
_MAX_LINE = 8_000_000
_MAX_DETAIL = 200
# Options with which the user chose the permissions: then we add none.
_PERMISSIONS = ("--force", "-f", "--yolo", "--sandbox", "--mode", "--plan")
_MESSAGES: FaultMessages = (
    (re.compile(r"authenticat|api key", re.I), "authentication"),
    (re.compile(r"upgrade your plan", re.I), "billing"),
    (re.compile(r"unknown option|invalid", re.I), "refused"),
)
_DETAIL_KEYS = ("command", "path", "pattern", "query", "url")


def build_arguments(call: headless.ClientCall) -> tuple[str, ...]:
    """Return the arguments; without `--force` the client only proposes edits."""
    has_permissions = any(argument.startswith(_PERMISSIONS) for argument in call.arguments)
    permissions = () if has_permissions else ("--force",)
    resume = ("--resume", call.client_session) if call.begun and call.client_session else ()
    return ("-p", "--output-format", "stream-json", *resume, *permissions, *call.arguments)


def classify_failure(stderr: str) -> headless.ClientFault:
    return classify_message(stderr, _MESSAGES)


def parse_line(line: bytes) -> tuple[headless.ClientEvent, ...]:
    entry = parse_object(line) if line.startswith(b"{") and len(line) <= _MAX_LINE else {}
    match entry.get("type"), entry.get("subtype"):
        case "system", "init":
            return (headless.SessionNamed(session=get_text(entry, "session_id")),)
        case "assistant", _:
            blocks = get_objects(get_object(entry, "message"), "content")
            text = "".join(get_text(block, "text") for block in blocks)
            return (headless.AgentText(text=text),) if text else ()
        case "tool_call", "started":
            return _parse_tool(get_object(entry, "tool_call"))
        case "result", _:
            return (_parse_result(entry),)
        case _:
            return ()


def _parse_tool(call: Mapping[str, Any]) -> tuple[headless.ClientEvent, ...]:
    """Return the tool of `{"shellToolCall": {"args": {"command": "ls"}}}`."""
    for name in call:
        arguments = get_object(get_object(call, name), "args")
        detail = next(filter(None, (get_text(arguments, key) for key in _DETAIL_KEYS)), "")
        tool = name.removesuffix("ToolCall")
        return (headless.Tool(name=tool, detail=" ".join(detail.split())[:_MAX_DETAIL]),)
    return ()


def _parse_result(entry: Mapping[str, Any]) -> headless.Returned:
    text = get_text(entry, "result")
    if entry.get("is_error") is not True:
        return headless.Returned(message=text, turns=1)
    return headless.Returned(fault=classify_failure(text), reason=text[:500])
