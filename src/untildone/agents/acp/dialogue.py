"""One prompt to an agent by the Agent Client Protocol, version 1.

`initialize`, then `session/new`, `session/resume` or `session/load`, then `session/prompt`; in
between the agent reports by `session/update` and asks by `session/request_permission`.
"""

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from untildone.agents import headless
from untildone.agents.acp import updates
from untildone.agents.fault_messages import classify_message
from untildone.agents.json_fields import (
    get_count,
    get_number,
    get_object,
    get_text,
    parse_object,
)

_VERSION = 1
_MAX_LINE = 8_000_000
_MAX_REASON = 500
# Errors of JSON-RPC and of the protocol.
_UNKNOWN_METHOD = -32601
_SIGN_IN = -32000
_SILENCE: tuple[bytes, tuple[headless.ClientEvent, ...]] = (b"", ())
Answer: TypeAlias = tuple[bytes, tuple[headless.ClientEvent, ...]]


class AcpDialogue:
    """The messages of one call; `session` is the conversation to resume, empty for a new one."""

    def __init__(self, prompt: str, *, session: str, folder: str, allows: bool) -> None:
        self._prompt = prompt
        self._session = session
        self._folder = folder
        self._allows = allows
        # The request that the agent has not answered yet.
        self._method = ""
        self._number = 0
        self._cancelled = False
        self._text: list[str] = []
        self._cost: float | None = None
        self._window = 0

    def begin(self) -> bytes:
        files = {"readTextFile": False, "writeTextFile": False}
        capabilities = {"fs": files, "terminal": False}
        params = {"protocolVersion": _VERSION, "clientCapabilities": capabilities}
        return self._ask(
            "initialize", {**params, "clientInfo": {"name": "untildone", "version": "1"}}
        )

    def cancel(self) -> bytes:
        if self._method != "session/prompt":
            return b""
        self._cancelled = True
        return _write({"method": "session/cancel", "params": {"sessionId": self._session}})

    def answer(self, line: bytes) -> Answer:
        message = parse_object(line) if len(line) <= _MAX_LINE else {}
        method, params = get_text(message, "method"), get_object(message, "params")
        if method and "id" in message:
            return self._answer_request(message["id"], method, params)
        if method == "session/update":
            return b"", self._read_update(get_object(params, "update"))
        if not self._method or message.get("id") != self._number:
            return _SILENCE
        error = get_object(message, "error")
        asked, self._method = self._method, ""
        return (b"", self._fail(asked, error)) if error else self._go_on(asked, message)

    def _go_on(self, asked: str, message: Mapping[str, Any]) -> Answer:
        """Return the next request after the agent has answered the last one."""
        result = get_object(message, "result")
        if asked == "initialize":
            return self._open_session(result)
        if asked == "session/prompt":
            return b"", self._return(result)
        self._session = get_text(result, "sessionId") or self._session
        prompt = [{"type": "text", "text": self._prompt}]
        request = self._ask("session/prompt", {"sessionId": self._session, "prompt": prompt})
        return request, (headless.SessionNamed(session=self._session),)

    def _open_session(self, agent: Mapping[str, Any]) -> Answer:
        version = get_count(agent, "protocolVersion")
        if version != _VERSION:
            reason = f"the agent speaks version {version} of the protocol, we speak {_VERSION}"
            return b"", (headless.Returned(fault="refused", reason=reason),)
        folder = {"cwd": self._folder, "mcpServers": []}
        if not self._session:
            return self._ask("session/new", folder), ()
        capabilities = get_object(agent, "agentCapabilities")
        conversation = {**folder, "sessionId": self._session}
        if "resume" in get_object(capabilities, "sessionCapabilities"):
            return self._ask("session/resume", conversation), ()
        if capabilities.get("loadSession") is True:
            return self._ask("session/load", conversation), ()
        reason = "the agent cannot resume a conversation"
        return b"", (headless.Returned(fault="lost", reason=reason),)

    def _fail(self, asked: str, error: Mapping[str, Any]) -> tuple[headless.ClientEvent, ...]:
        data = error.get("data")
        details = json.dumps(data, ensure_ascii=False) if data else ""
        reason = " ".join(filter(None, (get_text(error, "message"), details)))
        if error.get("code") == _SIGN_IN:
            fault: headless.ClientFault = "authentication"
        else:
            fault = (
                "lost" if asked in ("session/load", "session/resume") else classify_message(reason)
            )
        returned = headless.Returned(fault=fault, reason=reason[:_MAX_REASON], cost_usd=self._cost)
        return (*self._flush(), returned)

    def _return(self, result: Mapping[str, Any]) -> tuple[headless.ClientEvent, ...]:
        """Return the end of the turn; the checks decide about one that the agent cut short."""
        if self._text and updates.is_failure(self._text[-1]):
            return self._fail("session/prompt", {"message": self._text.pop()})
        said = self._flush()
        tokens = get_count(get_object(result, "usage"), "totalTokens")
        fill = (headless.ContextFill(tokens=tokens),) if tokens and not self._window else ()
        refused = get_text(result, "stopReason") == "refusal"
        reason = said[-1].text if said else "the agent refused to go on"
        returned = headless.Returned(
            cost_usd=self._cost,
            window=self._window,
            fault="refused" if refused else None,
            reason=reason[:_MAX_REASON] if refused else "",
        )
        return (*said, *fill, returned)

    def _read_update(self, update: Mapping[str, Any]) -> tuple[headless.ClientEvent, ...]:
        # The history that `session/load` repeats is not news.
        if self._method != "session/prompt":
            return ()
        match update.get("sessionUpdate"):
            case "tool_call":
                return (*self._flush(), updates.parse_tool(update))
            case "usage_update":
                cost = get_object(update, "cost")
                if get_text(cost, "currency") == "USD":
                    self._cost = get_number(cost, "amount")
                self._window = get_count(update, "size")
                return (headless.ContextFill(tokens=get_count(update, "used")),)
            case _:
                if chunk := updates.get_chunk(update):
                    self._text.append(chunk)
                return ()

    def _flush(self) -> tuple[headless.AgentText, ...]:
        """Return what the agent has said since the last call of a tool."""
        text = "".join(self._text).strip()
        self._text.clear()
        return (headless.AgentText(text=text),) if text else ()

    def _answer_request(self, number: object, method: str, params: Mapping[str, Any]) -> Answer:
        if method != "session/request_permission":
            # We offer neither files nor terminals: the agent uses its own.
            error = {"code": _UNKNOWN_METHOD, "message": f"`{method}` is not offered"}
            return _write({"id": number, "error": error}), ()
        allows = self._allows and not self._cancelled
        option = updates.choose_option(params, allows=allows)
        outcome = (
            {"outcome": "selected", "optionId": option} if option else {"outcome": "cancelled"}
        )
        reply = _write({"id": number, "result": {"outcome": outcome}})
        if (allows and option) or self._cancelled:
            return reply, ()
        tool = updates.parse_tool(get_object(params, "toolCall"))
        return reply, (headless.Denied(tool=tool.name, reason=tool.detail),)

    def _ask(self, method: str, params: Mapping[str, Any]) -> bytes:
        self._method = method
        self._number += 1
        return _write({"id": self._number, "method": method, "params": params})


def _write(message: Mapping[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
