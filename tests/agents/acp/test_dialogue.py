"""The Agent Client Protocol, message by message."""

import json
from typing import Any

import pytest

from untildone.agents import headless
from untildone.agents.acp.dialogue import AcpDialogue

VERSION = {"protocolVersion": 1}


def make(*, session: str = "", allows: bool = True) -> AcpDialogue:
    return AcpDialogue("Do it.", session=session, folder="/p", allows=allows)


def line(**message: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode()


def update(name: str, /, **fields: object) -> bytes:
    return line(
        method="session/update",
        params={"sessionId": "s", "update": {"sessionUpdate": name} | fields},
    )


def read(data: bytes) -> dict[str, Any]:
    return dict(json.loads(data))


def prompt(dialogue: AcpDialogue) -> AcpDialogue:
    """Take a new conversation as far as its prompt, which is request 3."""
    dialogue.begin()
    dialogue.answer(line(id=1, result=VERSION))
    dialogue.answer(line(id=2, result={"sessionId": "s"}))
    return dialogue


def test_a_new_conversation() -> None:
    dialogue = make()
    first = read(dialogue.begin())
    assert (first["id"], first["method"]) == (1, "initialize")
    second, _ = dialogue.answer(line(id=1, result=VERSION))
    assert read(second)["params"] == {"cwd": "/p", "mcpServers": []}
    third, events = dialogue.answer(line(id=2, result={"sessionId": "s"}))
    content = [{"type": "text", "text": "Do it."}]
    assert read(third)["params"] == {"sessionId": "s", "prompt": content}
    assert events == (headless.SessionNamed(session="s"),)


@pytest.mark.parametrize(
    ("offers", "method"),
    [
        ({"loadSession": True}, "session/load"),
        ({"sessionCapabilities": {"resume": {}}}, "session/resume"),
        ({"loadSession": True, "sessionCapabilities": {"resume": {}}}, "session/resume"),
    ],
)
def test_a_conversation_is_resumed(offers: dict[str, object], method: str) -> None:
    dialogue = make(session="s")
    dialogue.begin()
    request, _ = dialogue.answer(line(id=1, result={**VERSION, "agentCapabilities": offers}))
    assert read(request)["method"] == method
    assert read(request)["params"]["sessionId"] == "s"
    # The history is repeated before the answer, and is not news.
    assert dialogue.answer(update("tool_call", title="old")) == (b"", ())
    last, _ = dialogue.answer(line(id=2, result={}))
    assert read(last)["params"]["sessionId"] == "s"


def test_an_agent_that_cannot_resume_has_lost_the_conversation() -> None:
    dialogue = make(session="s")
    dialogue.begin()
    reply, (returned,) = dialogue.answer(line(id=1, result=VERSION))
    assert reply == b""
    assert isinstance(returned, headless.Returned)
    assert returned.fault == "lost"


def test_another_version_is_refused() -> None:
    dialogue = make()
    dialogue.begin()
    _, (returned,) = dialogue.answer(line(id=1, result={"protocolVersion": 3}))
    assert isinstance(returned, headless.Returned)
    assert returned.fault == "refused"


def test_text_is_joined_and_tools_are_told() -> None:
    dialogue = prompt(make())
    for text in ("I ", "look."):
        chunk = update("agent_message_chunk", content={"type": "text", "text": text})
        assert dialogue.answer(chunk) == (b"", ())
    assert dialogue.answer(update("agent_thought_chunk", content={"text": "hm"})) == (b"", ())
    _, events = dialogue.answer(update("tool_call", title="ls\n -l", kind="execute"))
    tool = headless.Tool(name="execute", detail="ls -l")
    assert events == (headless.AgentText(text="I look."), tool)
    assert dialogue.answer(line(id=3, result={"stopReason": "end_turn"})) == (
        b"",
        (headless.Returned(),),
    )


def test_usage_comes_with_updates() -> None:
    dialogue = prompt(make())
    cost = {"amount": 0.5, "currency": "USD"}
    _, fill = dialogue.answer(update("usage_update", used=10, size=100, cost=cost))
    assert fill == (headless.ContextFill(tokens=10),)
    dialogue.answer(
        update("usage_update", used=11, size=100, cost={"amount": 9, "currency": "EUR"})
    )
    usage = {"totalTokens": 999}
    _, events = dialogue.answer(line(id=3, result={"stopReason": "end_turn", "usage": usage}))
    assert events == (headless.Returned(cost_usd=0.5, window=100),)


def test_usage_comes_with_the_result() -> None:
    usage = {"totalTokens": 15}
    result = {"stopReason": "max_tokens", "usage": usage}
    _, events = prompt(make()).answer(line(id=3, result=result))
    assert events == (headless.ContextFill(tokens=15), headless.Returned())


@pytest.mark.parametrize("says", ["", "No."])
def test_a_refusal_says_why(says: str) -> None:
    dialogue = prompt(make())
    dialogue.answer(update("agent_message_chunk", content={"type": "text", "text": says}))
    _, events = dialogue.answer(line(id=3, result={"stopReason": "refusal"}))
    reason = says or "the agent refused to go on"
    assert events[-1] == headless.Returned(fault="refused", reason=reason)


@pytest.mark.parametrize(
    ("error", "fault", "reason"),
    [
        ({"code": -32000, "message": "first this"}, "authentication", "first this"),
        ({"code": -32603, "message": "rate limit"}, "limit", "rate limit"),
        (
            {"code": 1, "message": "x", "data": {"details": "503"}},
            "overloaded",
            'x {"details": "503"}',
        ),
        ({"code": 1}, "crashed", ""),
    ],
)
def test_errors_are_told_apart(error: dict[str, Any], fault: Any, reason: str) -> None:  # noqa: ANN401  a literal
    _, events = prompt(make()).answer(line(id=3, error=error))
    assert events == (headless.Returned(fault=fault, reason=reason),)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Error: 400 the request is too long", "refused"),
        (
            "Error: No luck with provider at http://127.0.0.1:1/v1 (HTTP 401).\n  Check",
            "authentication",
        ),
        (
            "Error: Failed to get response from the AI model; retried 5 times (total retry wait"
            " time: 56.09 seconds) Last error: 429 slow down",
            "limit",
        ),
    ],
)
def test_a_failed_request_that_is_told_as_text_is_a_failure(
    text: str, fault: headless.ClientFault
) -> None:
    dialogue = prompt(make())
    for part in ("I begin. ", text):
        dialogue.answer(update("agent_message_chunk", content={"type": "text", "text": part}))
    _, events = dialogue.answer(line(id=3, result={"stopReason": "end_turn"}))
    returned = headless.Returned(fault=fault, reason=text)
    assert events == (headless.AgentText(text="I begin."), returned)


def test_a_conversation_that_is_not_found_is_lost() -> None:
    dialogue = make(session="s")
    dialogue.begin()
    offers = {"loadSession": True}
    dialogue.answer(line(id=1, result={**VERSION, "agentCapabilities": offers}))
    _, events = dialogue.answer(line(id=2, error={"code": -32603, "message": "503"}))
    assert events == (headless.Returned(fault="lost", reason="503"),)


def ask_permission(*kinds: str) -> bytes:
    options = [{"optionId": kind.upper(), "kind": kind} for kind in kinds]
    call = {"title": "rm", "kind": "execute"}
    params = {"toolCall": call, "options": options}
    return line(id="a", method="session/request_permission", params=params)


DENIED = (headless.Denied(tool="execute", reason="rm"),)


@pytest.mark.parametrize(
    ("allows", "kinds", "selected", "events"),
    [
        (True, ("allow_always", "allow_once", "reject_once"), "ALLOW_ONCE", ()),
        (True, ("allow_always", "reject_once"), "ALLOW_ALWAYS", ()),
        (True, ("reject_once",), "", DENIED),
        (False, ("allow_once", "reject_always", "reject_once"), "REJECT_ONCE", DENIED),
        (False, (), "", DENIED),
    ],
)
def test_permissions(
    *,
    allows: bool,
    kinds: tuple[str, ...],
    selected: str,
    events: tuple[headless.ClientEvent, ...],
) -> None:
    reply, told = prompt(make(allows=allows)).answer(ask_permission(*kinds))
    outcome = {"outcome": "selected", "optionId": selected}
    assert read(reply)["id"] == "a"
    assert read(reply)["result"]["outcome"] == (outcome if selected else {"outcome": "cancelled"})
    assert told == events


def test_files_and_terminals_are_not_offered() -> None:
    request = line(id=7, method="fs/write_text_file", params={"path": "/etc/passwd"})
    reply, events = prompt(make()).answer(request)
    assert (read(reply)["error"]["code"], events) == (-32601, ())


def test_cancelling_rejects_what_is_asked_then() -> None:
    dialogue = make()
    assert dialogue.cancel() == b""
    cancel = read(prompt(dialogue).cancel())
    assert (cancel["method"], cancel["params"]) == ("session/cancel", {"sessionId": "s"})
    assert "id" not in cancel
    reply, events = dialogue.answer(ask_permission("allow_once"))
    assert (read(reply)["result"]["outcome"]["outcome"], events) == ("cancelled", ())


@pytest.mark.parametrize(
    "noise",
    [
        b"Loading...",
        b"[]",
        line(id=88, result={}),
        line(method="_vendor/note", params={}),
        update("plan", entries=[]),
        b" " * 8_000_001,
    ],
)
def test_other_lines_mean_nothing(noise: bytes) -> None:
    assert prompt(make()).answer(noise) == (b"", ())
