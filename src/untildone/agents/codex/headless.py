"""Headless calls of Codex: `codex exec --json -`, and the events that it prints."""

import re
from collections.abc import Mapping
from typing import Any

from untildone.agents import headless
from untildone.agents.fault_messages import FaultMessages, classify_message
from untildone.agents.json_fields import get_object, get_text, parse_object

PROGRAM = "codex"
SESSION_VARIABLES = frozenset(("CODEX_SESSION_ID", "CODEX_THREAD_ID"))
REMEDIES: dict[headless.ClientFault, str] = {
    "limit": "wait until the limit ends, then `untildone continue`",
    "authentication": "run `codex login`",
    "billing": "see your plan in Codex",
    "refused": "read the message above; `-- ARGUMENTS` go to `codex exec`",
    "overloaded": "try again later: `untildone continue`",
    "network": "check the connection, then `untildone continue`",
    "lost": "`untildone run --fresh` starts a new conversation",
    "missing": "install it: `npm install -g @openai/codex`",
    "crashed": "try again: `untildone continue`",
    "denied": "allow it: `-- --sandbox workspace-write`",
}
_MAX_LINE = 8_000_000
_MAX_DETAIL = 200
# Options with which the user chose the permissions: then we add none.
_PERMISSIONS = ("--sandbox", "-s", "--full-auto", "--dangerously-bypass-approvals-and-sandbox")
_MESSAGES: FaultMessages = ((re.compile(r"quota", re.I), "billing"),)


def build_arguments(call: headless.ClientCall) -> tuple[str, ...]:
    has_permissions = any(argument.startswith(_PERMISSIONS) for argument in call.arguments)
    permissions = () if has_permissions else ("--sandbox", "workspace-write")
    options = ("--json", "--skip-git-repo-check", *permissions, *call.arguments)
    if call.begun and call.client_session:
        return ("exec", *options, "resume", call.client_session, "-")
    return ("exec", *options, "-")


def classify_failure(stderr: str) -> headless.ClientFault:
    return classify_message(stderr, _MESSAGES)


def parse_line(line: bytes) -> tuple[headless.ClientEvent, ...]:
    entry = parse_object(line) if line.startswith(b"{") and len(line) <= _MAX_LINE else {}
    match entry.get("type"):
        case "thread.started":
            return (headless.SessionNamed(session=get_text(entry, "thread_id")),)
        case "item.completed":
            return _parse_item(get_object(entry, "item"))
        case "turn.completed":
            # Its `usage` is that of all requests of the conversation, without the model's name: it
            # tells neither how full the context is nor the price. The transcript has both.
            return (headless.Returned(turns=1),)
        case "turn.failed":
            reason = get_text(get_object(entry, "error"), "message")
            return (headless.Returned(fault=classify_failure(reason), reason=reason[:500]),)
        case _:
            return ()


def _parse_command(command: str, output: str) -> tuple[headless.ClientEvent, ...]:
    tool = headless.Tool(name="shell", detail=" ".join(command.split())[:_MAX_DETAIL])
    if headless.REPORT not in output:
        return (tool,)
    return tool, headless.Relayed(command=command, output=output)


def _parse_item(item: Mapping[str, Any]) -> tuple[headless.ClientEvent, ...]:
    match item.get("type"):
        case "agent_message":
            return (headless.AgentText(text=get_text(item, "text")),)
        case "command_execution":
            return _parse_command(get_text(item, "command"), get_text(item, "aggregated_output"))
        case "file_change" | "mcp_tool_call" | "web_search" as kind:
            return (headless.Tool(name=kind),)
        case _:
            return ()
