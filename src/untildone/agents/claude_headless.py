"""Claude Code without a person: `claude -p` with its stream of JSON lines."""

import json
import re
from collections.abc import Mapping
from typing import Any

from untildone.agents.headless import (
    AgentText,
    ClientCall,
    ClientEvent,
    ClientFault,
    ContextFill,
    Denied,
    Limited,
    Retrying,
    Returned,
    Tool,
)
from untildone.agents.permissions import PERMISSIONS

PROGRAM = "claude"
SESSION_VARIABLES = frozenset(
    (
        *("AI_AGENT", "CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT"),
        *("CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID"),
    )
)
REMEDIES: dict[ClientFault, str] = {
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
_LONGEST = 8_000_000
_DETAIL = 200
# Whoever says it themselves is not contradicted.
_PERMISSIONS = ("--permission-mode", "--dangerously-skip-permissions", "--permission-prompt-tool")
# What it says on stderr, or in `errors`, where no request was made.
_SAID: tuple[tuple[re.Pattern[str], ClientFault], ...] = (
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
_UNTIL = re.compile(r"limit reached\|(\d{9,11})\b")
# The part of a tool's input that says most in a few words.
_TELLING = ("command", "file_path", "notebook_path", "pattern", "url", "description", "prompt")


def build_arguments(ask: ClientCall) -> tuple[str, ...]:
    session = "--resume" if ask.begun else "--session-id"
    budget = ("--max-budget-usd", f"{ask.budget_usd:.6f}") if ask.budget_usd else ()
    own = any(argument.startswith(_PERMISSIONS) for argument in ask.arguments)
    permissions = () if own else ("--permission-mode", "acceptEdits")
    stream = ("-p", "--output-format", "stream-json", "--verbose")
    tools = ("--allowedTools", ",".join(PERMISSIONS))
    return (*stream, session, ask.session, *budget, *permissions, *tools, *ask.arguments)


def classify_failure(stderr: str) -> ClientFault:
    return next((kind for pattern, kind in _SAID if pattern.search(stderr)), "crashed")


def parse_line(line: bytes) -> tuple[ClientEvent, ...]:
    entry = _entry(line)
    match entry.get("type"), entry.get("subtype"):
        case "assistant", _:
            return _message(entry)
        case "system", "api_retry":
            return (Retrying(reason=_text(entry, "error"), attempt=_count(entry, "attempt")),)
        case "system", "permission_denied":
            reason = _text(entry, "message")
            return (Denied(tool=_text(entry, "tool_name"), reason=reason[:_DETAIL]),)
        case "rate_limit_event", _:
            return _limit(_object(entry, "rate_limit_info"))
        case "result", _:
            return (_result(entry),)
        case _:
            return ()


def _message(entry: Mapping[str, Any]) -> tuple[ClientEvent, ...]:
    # What the client says in the model's place comes again with the result.
    if entry.get("is_api_error_message") is True:
        return ()
    message = _object(entry, "message")
    found: list[ClientEvent] = []
    for block in _objects(message, "content"):
        match block.get("type"):
            case "text":
                found.append(AgentText(text=_text(block, "text")))
            case "tool_use":
                found.append(_tool(block))
            case _:
                pass
    # A subagent has a conversation of its own.
    if entry.get("parent_tool_use_id") is None:
        found.append(ContextFill(tokens=_tokens(_object(message, "usage"))))
    return tuple(found)


def _tool(block: Mapping[str, Any]) -> Tool:
    given = _object(block, "input")
    telling = next((_text(given, key) for key in _TELLING if _text(given, key)), "")
    return Tool(name=_text(block, "name"), detail=" ".join(telling.split())[:_DETAIL])


def _tokens(usage: Mapping[str, Any]) -> int:
    read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(_count(usage, name) for name in (*read, "output_tokens"))


def _limit(info: Mapping[str, Any]) -> tuple[ClientEvent, ...]:
    if info.get("status") != "rejected":
        return ()
    return (Limited(until=_number(info, "resetsAt") or 0),)


def _result(entry: Mapping[str, Any]) -> Returned:
    message = _text(entry, "result")
    errors = entry.get("errors")
    reason = message or (str(errors[0]) if isinstance(errors, list) and errors else "")
    known = _UNTIL.search(message)
    kind = _fault(entry, reason) if entry.get("is_error") is True else None
    models = _object(entry, "modelUsage").values()
    windows = [_count(model, "contextWindow") for model in models if isinstance(model, dict)]
    return Returned(
        message="" if kind else message,
        cost_usd=_number(entry, "total_cost_usd"),
        turns=_count(entry, "num_turns"),
        window=max(windows, default=0),
        fault=kind,
        reason=reason[:500] if kind else "",
        until=float(known[1]) if known else 0,
    )


def _fault(entry: Mapping[str, Any], reason: str) -> ClientFault | None:
    """A bound of the client's own (turns, budget) is no fault: the checks decide."""
    if _text(entry, "subtype") in ("error_max_turns", "error_max_budget_usd"):
        return None
    if _text(entry, "api_error") == "connection_failed":
        return "network"
    match _count(entry, "api_error_status"):
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


def _entry(line: bytes) -> dict[str, Any]:
    if not line.startswith(b"{") or len(line) > _LONGEST:
        return {}
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(fields: Mapping[str, Any], key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def _number(fields: Mapping[str, Any], key: str) -> float | None:
    value = fields.get(key)
    return float(value) if isinstance(value, int | float) else None


def _count(fields: Mapping[str, Any], key: str) -> int:
    value = fields.get(key)
    return value if isinstance(value, int) else 0


def _object(fields: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = fields.get(key)
    return value if isinstance(value, dict) else {}


def _objects(fields: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = fields.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
