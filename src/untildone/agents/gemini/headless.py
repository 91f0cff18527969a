"""Headless calls of Gemini CLI: `gemini --output-format stream-json`, and what it prints."""

import re
from collections.abc import Mapping
from typing import Any

from untildone.agents import approval_arguments, headless
from untildone.agents.fault_messages import FaultMessages, classify_message
from untildone.agents.json_fields import get_object, get_text, parse_object

PROGRAM = "gemini"
SESSION_VARIABLES = frozenset(
    (
        *("GEMINI_CLI", "GEMINI_CWD", "GEMINI_PLANS_DIR", "GEMINI_PROJECT_DIR"),
        "GEMINI_SESSION_ID",
    )
)
REMEDIES: dict[headless.ClientFault, str] = {
    "limit": "wait until the limit ends, then `untildone continue`",
    "authentication": "sign in: run `gemini` and type `/auth`, or set `GEMINI_API_KEY`",
    "billing": "see the plan of your account",
    "refused": "read the message above; `-- ARGUMENTS` go to `gemini`",
    "overloaded": "try again later: `untildone continue`",
    "network": "check the connection, then `untildone continue`",
    "lost": "`untildone run --fresh` starts a new conversation",
    "missing": "install it: `npm install -g @google/gemini-cli`",
    "crashed": "run `gemini` once by hand to see why",
    "denied": "allow it: `-- --approval-mode yolo`, or a policy of the client",
}
_MAX_LINE = 8_000_000
_MAX_DETAIL = 200
# Options with which the user chose the permissions: then we add none.
_PERMISSIONS = ("--approval-mode", "--yolo", "-y", "--allowed-tools", "--policy")
_MESSAGES: FaultMessages = (
    (re.compile(r"error resuming session|session id \S+ already exists", re.I), "lost"),
    (re.compile(r"not running in a trusted directory", re.I), "refused"),
    (re.compile(r"API_KEY|set an auth method", re.I), "authentication"),
    (re.compile(r"internal error", re.I), "overloaded"),
)


def build_arguments(call: headless.ClientCall) -> tuple[str, ...]:
    return approval_arguments.build_arguments(call, chosen=_PERMISSIONS, mode="auto_edit")


def classify_failure(stderr: str) -> headless.ClientFault:
    return classify_message(stderr, _MESSAGES)


def parse_line(line: bytes) -> tuple[headless.ClientEvent, ...]:
    entry = parse_object(line) if line.startswith(b"{") and len(line) <= _MAX_LINE else {}
    match entry.get("type"):
        case "message" if entry.get("role") == "assistant":
            return (headless.TextPart(text=get_text(entry, "content")),)
        case "tool_use":
            return (_parse_tool(entry),)
        case "tool_result":
            return _parse_refusal(entry)
        case "result":
            return (_parse_result(entry),)
        case _:
            return ()


def _parse_tool(entry: Mapping[str, Any]) -> headless.Tool:
    inputs = get_object(entry, "parameters")
    texts = (get_text(inputs, key) for key in ("command", "file_path", "pattern", "query"))
    detail = " ".join(next(filter(None, texts), "").split())
    return headless.Tool(name=get_text(entry, "tool_name"), detail=detail[:_MAX_DETAIL])


def _parse_refusal(entry: Mapping[str, Any]) -> tuple[headless.ClientEvent, ...]:
    error = get_object(entry, "error")
    if error.get("type") != "policy_violation":
        return ()
    # write_file__write_file_1794925014244_0
    tool = get_text(entry, "tool_id").partition("__")[0]
    return (headless.Denied(tool=tool, reason=get_text(error, "message")[:_MAX_DETAIL]),)


def _parse_result(entry: Mapping[str, Any]) -> headless.Returned:
    if entry.get("status") != "error":
        return headless.Returned(turns=1)
    reason = get_text(get_object(entry, "error"), "message")
    return headless.Returned(turns=1, fault=classify_failure(reason), reason=reason[:500])
