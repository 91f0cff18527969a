"""Headless calls of Qwen Code: `qwen --output-format stream-json`, and what it prints."""

import re
from collections.abc import Mapping
from typing import Any

from untildone.agents import approval_arguments, headless
from untildone.agents.fault_messages import FaultMessages, classify_message
from untildone.agents.json_fields import get_count, get_object, get_objects, get_text, parse_object
from untildone.agents.stream_messages import parse_message

PROGRAM = "qwen"
SESSION_VARIABLES = frozenset(
    (
        *("QWEN_CODE", "QWEN_CODE_AGENT_ID", "QWEN_CODE_LAUNCHER_PID", "QWEN_CODE_MODEL"),
        *("QWEN_CODE_PROJECT_DIR", "QWEN_CODE_PROMPT_ID", "QWEN_CODE_SESSION_ID"),
        "QWEN_PROJECT_DIR",
    )
)
REMEDIES: dict[headless.ClientFault, str] = {
    "limit": "wait until the limit ends, then `untildone continue`",
    "authentication": "sign in: run `qwen` and type `/auth`, or set `OPENAI_API_KEY`",
    "billing": "add credit to the account of the client",
    "refused": "read the message above; `-- ARGUMENTS` go to `qwen`",
    "overloaded": "try again later: `untildone continue`",
    "network": "check the connection, then `untildone continue`",
    "lost": "`untildone run --fresh` starts a new conversation",
    "missing": "install it: `npm install -g @qwen-code/qwen-code`",
    "crashed": "run `qwen` once by hand to see why",
    "denied": "allow it: `-- --approval-mode yolo`, or `-- --allowed-tools NAME`",
}
_MAX_LINE = 8_000_000
# Options with which the user chose the permissions: then we add none.
_PERMISSIONS = ("--approval-mode", "--yolo", "-y", "--allowed-tools")
_MESSAGES: FaultMessages = (
    (re.compile(r"session id \S+ is already in use", re.I), "lost"),
    (re.compile(r"api key|no auth type", re.I), "authentication"),
    (re.compile(r"insufficient", re.I), "billing"),
)


def build_arguments(call: headless.ClientCall) -> tuple[str, ...]:
    return approval_arguments.build_arguments(call, chosen=_PERMISSIONS, mode="auto-edit")


def classify_failure(stderr: str) -> headless.ClientFault:
    return classify_message(stderr, _MESSAGES)


def parse_line(line: bytes) -> tuple[headless.ClientEvent, ...]:
    entry = parse_object(line) if line.startswith(b"{") and len(line) <= _MAX_LINE else {}
    match entry.get("type"):
        case "assistant":
            return parse_message(entry)
        case "result":
            denied = get_objects(entry, "permission_denials")
            refusals = (headless.Denied(tool=get_text(call, "tool_name")) for call in denied)
            return (*refusals, _parse_result(entry))
        case _:
            return ()


def _parse_result(entry: Mapping[str, Any]) -> headless.Returned:
    turns = get_count(entry, "num_turns")
    # The client's own limit of turns is no fault: the checks decide.
    if entry.get("is_error") is not True or entry.get("subtype") == "error_max_turns":
        return headless.Returned(message=get_text(entry, "result"), turns=turns)
    reason = get_text(get_object(entry, "error"), "message")
    return headless.Returned(turns=turns, fault=classify_failure(reason), reason=reason[:500])
