"""Headless calls of Copilot: `copilot --output-format json`, and the events that it prints."""

import re
from collections.abc import Mapping
from typing import Any

from untildone.agents import headless
from untildone.agents.fault_messages import FaultMessages, classify_message
from untildone.agents.json_fields import get_count, get_object, get_text, parse_object
from untildone.commands.agent_calls import CHECK, REPORTING_VERBS

PROGRAM = "copilot"
SESSION_VARIABLES = frozenset(("COPILOT_AGENT_SESSION_ID", "COPILOT_CLI"))
REMEDIES: dict[headless.ClientFault, str] = {
    "limit": "wait until the limit ends, then `untildone continue`",
    "authentication": "sign in: run `copilot` and type `/login`",
    "billing": "see your plan of GitHub Copilot",
    "refused": "read the message above; `-- ARGUMENTS` go to `copilot`",
    "overloaded": "try again later: `untildone continue`",
    "network": "check the connection, then `untildone continue`",
    "lost": "`untildone run --fresh` starts a new conversation",
    "missing": "install it: `npm install -g @github/copilot`",
    "crashed": "try again: `untildone continue`",
    "denied": "allow it: `-- --allow-tool NAME` or `-- --allow-all-tools`",
}
_MAX_LINE = 8_000_000
_MAX_DETAIL = 200
# Options with which the user chose the permissions: then we add none.
_PERMISSIONS = ("--allow-all", "--yolo", "--allow-tool", "--deny-tool")
_MESSAGES: FaultMessages = (
    (re.compile(r"no session, task, or name matched", re.I), "lost"),
    (re.compile(r"authentication|no github token", re.I), "authentication"),
)
# Keys of a tool's arguments, the most informative first.
_DETAIL_KEYS = ("command", "path", "pattern", "url", "description", "prompt")


def build_arguments(call: headless.ClientCall) -> tuple[str, ...]:
    """Return the arguments; without `-p` the client reads the prompt from stdin."""
    session = f"--resume={call.session}" if call.begun else f"--session-id={call.session}"
    has_permissions = any(argument.startswith(_PERMISSIONS) for argument in call.arguments)
    permissions = () if has_permissions else _build_permissions()
    return ("--output-format", "json", "--no-ask-user", session, *permissions, *call.arguments)


def _build_permissions() -> tuple[str, ...]:
    """Permit edits and the commands that we give to the agent."""
    verbs = (f"shell(untildone {verb}:*)" for verb in (*REPORTING_VERBS, "show", CHECK))
    return ("--allow-tool=write", *(f"--allow-tool={verb}" for verb in verbs))


def classify_failure(stderr: str) -> headless.ClientFault:
    return classify_message(stderr, _MESSAGES)


def parse_line(line: bytes) -> tuple[headless.ClientEvent, ...]:
    entry = parse_object(line) if line.startswith(b"{") and len(line) <= _MAX_LINE else {}
    data = get_object(entry, "data")
    match entry.get("type"):
        case "assistant.message":
            text = get_text(data, "content")
            return (headless.AgentText(text=text),) if text else ()
        case "tool.execution_start":
            return (_parse_tool(data),)
        case "tool.execution_complete":
            return _parse_tool_end(data)
        case "assistant.turn_retry":
            return (headless.Retrying(reason=get_text(data, "reason")),)
        case "session.error":
            return (_parse_error(data),)
        case "result" if entry.get("exitCode") == 0:
            return (headless.Returned(turns=1),)
        case _:
            return ()


def _parse_tool(data: Mapping[str, Any]) -> headless.Tool:
    arguments = get_object(data, "arguments")
    detail = next(filter(None, (get_text(arguments, key) for key in _DETAIL_KEYS)), "")
    return headless.Tool(
        name=get_text(data, "toolName"), detail=" ".join(detail.split())[:_MAX_DETAIL]
    )


def _parse_tool_end(data: Mapping[str, Any]) -> tuple[headless.ClientEvent, ...]:
    """Return how full the context is, and whether the client had no permission for the call."""
    metrics = get_object(get_object(data, "toolTelemetry"), "metrics")
    tokens = get_count(metrics, "context_current_tokens")
    filled = (headless.ContextFill(tokens=tokens),) if tokens else ()
    error = get_object(data, "error")
    if error.get("code") != "denied":
        return filled
    # The event does not name the tool.
    reason = get_text(error, "message")[:_MAX_DETAIL]
    return (*filled, headless.Denied(tool="a tool", reason=reason))


def _parse_error(data: Mapping[str, Any]) -> headless.Returned:
    reason = get_text(data, "message")
    fault = classify_failure(f"{get_text(data, 'errorType')} {get_count(data, 'statusCode')}")
    if fault == "crashed":
        fault = classify_failure(reason)
    return headless.Returned(fault=fault, reason=reason[:500])
