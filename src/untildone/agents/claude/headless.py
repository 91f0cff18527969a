"""Claude Code without a user: `claude -p` and its stream of JSON lines."""

import re
from collections.abc import Mapping
from typing import Any

from untildone.agents import headless
from untildone.agents.claude.permissions import LOOP_PERMISSIONS
from untildone.agents.json_fields import (
    get_count,
    get_number,
    get_object,
    get_text,
    parse_object,
)
from untildone.agents.stream_messages import parse_message

PROGRAM = "claude"
SESSION_VARIABLES = frozenset(
    (
        *("AI_AGENT", "CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT"),
        *("CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID"),
    )
)
REMEDIES: dict[headless.ClientFault, str] = {
    "limit": "wait for the reset",
    "authentication": "sign in: run `claude` and type `/login`, or set `ANTHROPIC_API_KEY`",
    "billing": "add credit to the account of the client",
    "refused": "name another model: `-- --model NAME`",
    "overloaded": "try again later",
    "network": "look at the connection and the proxy",
    "lost": "`--fresh` begins a new conversation",
    "missing": "install Claude Code, or name it with `--client COMMAND`",
    "crashed": "run the client once by hand to see why",
    "denied": "allow it: `-- --allowedTools NAME`",
}
_MAX_LINE = 8_000_000
_MAX_DETAIL = 200
# Options with which the user chose the permissions: then we add none.
_PERMISSIONS = ("--permission-mode", "--dangerously-skip-permissions", "--permission-prompt-tool")
# Messages on stderr or in `errors` when no request was made.
_MESSAGES: tuple[tuple[re.Pattern[str], headless.ClientFault], ...] = (
    (re.compile(r"no conversation found|session id \S+ is already in use", re.I), "lost"),
    (
        re.compile(r"invalid api key|not logged in|please run /login|oauth token", re.I),
        "authentication",
    ),
    (re.compile(r"unknown option|invalid (option|value|session id)|root/sudo", re.I), "refused"),
    (re.compile(r"\blimit (was |has been )?reached|hit your [\w -]*limit\b", re.I), "limit"),
    (
        re.compile(r"ECONN|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|unable to connect|fetch failed", re.I),
        "network",
    ),
)
# Claude AI usage limit reached|1760000000
_LIMIT_END = re.compile(r"limit reached\|(\d{9,11})\b")


def build_arguments(call: headless.ClientCall) -> tuple[str, ...]:
    session = "--resume" if call.begun else "--session-id"
    budget = ("--max-budget-usd", f"{call.budget_usd:.6f}") if call.budget_usd else ()
    has_permissions = any(argument.startswith(_PERMISSIONS) for argument in call.arguments)
    permissions = () if has_permissions else ("--permission-mode", "acceptEdits")
    stream = ("-p", "--output-format", "stream-json", "--verbose")
    tools = ("--allowedTools", ",".join(LOOP_PERMISSIONS))
    return (*stream, session, call.session, *budget, *permissions, *tools, *call.arguments)


def classify_failure(stderr: str) -> headless.ClientFault:
    return next((kind for pattern, kind in _MESSAGES if pattern.search(stderr)), "crashed")


def parse_line(line: bytes) -> tuple[headless.ClientEvent, ...]:
    entry = parse_object(line) if line.startswith(b"{") and len(line) <= _MAX_LINE else {}
    match entry.get("type"), entry.get("subtype"):
        case "assistant", _:
            # The client repeats its own error messages in the result.
            is_error = entry.get("is_api_error_message") is True
            return () if is_error else parse_message(entry)
        case "system", "api_retry":
            return (
                headless.Retrying(
                    reason=get_text(entry, "error"), attempt=get_count(entry, "attempt")
                ),
            )
        case "system", "permission_denied":
            reason = get_text(entry, "message")
            return (
                headless.Denied(tool=get_text(entry, "tool_name"), reason=reason[:_MAX_DETAIL]),
            )
        case "rate_limit_event", _:
            info = get_object(entry, "rate_limit_info")
            limited = headless.Limited(until=get_number(info, "resetsAt") or 0)
            return (limited,) if info.get("status") == "rejected" else ()
        case "result", _:
            return (_parse_result(entry),)
        case _:
            return ()


def _parse_result(entry: Mapping[str, Any]) -> headless.Returned:
    message = get_text(entry, "result")
    errors = entry.get("errors")
    reason = message or (str(errors[0]) if isinstance(errors, list) and errors else "")
    limit_end = _LIMIT_END.search(message)
    fault = _classify_fault(entry, reason) if entry.get("is_error") is True else None
    models = get_object(entry, "modelUsage").values()
    windows = [get_count(model, "contextWindow") for model in models if isinstance(model, dict)]
    return headless.Returned(
        message="" if fault else message,
        cost_usd=get_number(entry, "total_cost_usd"),
        turns=get_count(entry, "num_turns"),
        window=max(windows, default=0),
        fault=fault,
        reason=reason[:500] if fault else "",
        until=float(limit_end[1]) if limit_end else 0,
    )


def _classify_fault(entry: Mapping[str, Any], reason: str) -> headless.ClientFault | None:
    """Return the fault; none for the client's own limits (turns, budget): the checks decide."""
    if get_text(entry, "subtype") in ("error_max_turns", "error_max_budget_usd"):
        return None
    if get_text(entry, "api_error") == "connection_failed":
        return "network"
    match get_count(entry, "api_error_status"):
        case 429:
            return "limit"
        case 401 | 403:
            return "authentication"
        case 400 if "credit" in reason.lower():
            return "billing"
        case 400 | 404 | 413:
            return "refused"
        case status if status >= 500:
            return "overloaded"
        case _:
            return classify_failure(reason)
