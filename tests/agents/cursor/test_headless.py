"""Cursor's stream of JSON lines, as its documentation describes it, in our words."""

import pytest

from untildone.agents.cursor.headless import build_arguments, classify_failure, parse_line
from untildone.agents.headless import (
    AgentText,
    ClientCall,
    ClientEvent,
    ClientFault,
    Returned,
    SessionNamed,
    Tool,
)

SHELL = b'{"shellToolCall":{"args":{"command":"npm\\n test"}}}'


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param(b"noise", (), id="noise"),
        pytest.param(
            b'{"type":"system","subtype":"init","session_id":"s"}',
            (SessionNamed(session="s"),),
            id="init",
        ),
        pytest.param(
            b'{"type":"assistant","message":{"content":[{"type":"text","text":"hi"}]}}',
            (AgentText(text="hi"),),
            id="text",
        ),
        pytest.param(b'{"type":"assistant","message":{"content":[]}}', (), id="no text"),
        pytest.param(
            b'{"type":"tool_call","subtype":"started","tool_call":' + SHELL + b"}",
            (Tool(name="shell", detail="npm test"),),
            id="tool",
        ),
        pytest.param(
            b'{"type":"tool_call","subtype":"started","tool_call":{}}', (), id="unknown tool"
        ),
        pytest.param(
            b'{"type":"result","subtype":"success","is_error":false,"result":"done"}',
            (Returned(message="done", turns=1),),
            id="returned",
        ),
        pytest.param(
            b'{"type":"result","is_error":true,"result":"usage limit reached"}',
            (Returned(fault="limit", reason="usage limit reached"),),
            id="limit",
        ),
    ],
)
def test_lines(said: bytes, expected: tuple[ClientEvent, ...]) -> None:
    assert parse_line(said) == expected


@pytest.mark.parametrize(
    ("stderr", "fault"),
    [
        ("Error: Authentication required. Run 'agent login'", "authentication"),
        ("Chat 12 not found", "lost"),
        ("Segmentation fault", "crashed"),
    ],
)
def test_failures(stderr: str, fault: ClientFault) -> None:
    assert classify_failure(stderr) == fault


def test_first_and_later_calls() -> None:
    stream = ("-p", "--output-format", "stream-json")
    assert build_arguments(ClientCall(session="s")) == (*stream, "--force")
    later = ClientCall(session="s", client_session="c", begun=True, arguments=("--sandbox", "x"))
    assert build_arguments(later) == (*stream, "--resume", "c", "--sandbox", "x")
