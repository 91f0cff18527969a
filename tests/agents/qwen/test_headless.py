"""Qwen Code's stream of JSON lines, as 0.24.4 prints it, in our words."""

import json
from typing import Any

import pytest

from untildone.agents.headless import (
    AgentText,
    ClientCall,
    ClientEvent,
    ClientFault,
    ContextFill,
    Denied,
    Returned,
    Tool,
)
from untildone.agents.qwen.headless import build_arguments, classify_failure, parse_line

USAGE = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 0, "total_tokens": 15}
KEY = "[API Error: 401 API key not valid]"


def line(kind: str, **fields: Any) -> bytes:  # noqa: ANN401  any JSON value
    return json.dumps({"type": kind, **fields}).encode()


def assistant(*blocks: object) -> bytes:
    message = {"content": list(blocks), "usage": USAGE}
    return line("assistant", message=message, parent_tool_use_id=None)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        pytest.param(line("system", subtype="init", session_id="s"), (), id="init"),
        pytest.param(
            assistant({"type": "text", "text": "t1"}),
            (AgentText(text="t1"), ContextFill(tokens=15)),
            id="text",
        ),
        pytest.param(
            assistant(
                {"type": "tool_use", "name": "run_shell_command", "input": {"command": "ls"}}
            ),
            (Tool(name="run_shell_command", detail="ls"), ContextFill(tokens=15)),
            id="tool",
        ),
        pytest.param(
            line("result", subtype="success", is_error=False, num_turns=4, result="t2"),
            (Returned(message="t2", turns=4),),
            id="result",
        ),
        pytest.param(
            line("result", num_turns=1, permission_denials=[{"tool_name": "run_shell_command"}]),
            (Denied(tool="run_shell_command"), Returned(turns=1)),
            id="denied",
        ),
        pytest.param(
            line("result", is_error=True, num_turns=1, error={"message": KEY}),
            (Returned(turns=1, fault="authentication", reason=KEY),),
            id="fault",
        ),
        pytest.param(
            line("result", subtype="error_max_turns", is_error=True, num_turns=9),
            (Returned(turns=9),),
            id="the client's own limit",
        ),
        pytest.param(b"Ripgrep not available", (), id="no JSON"),
    ],
)
def test_events_of_a_line(printed: bytes, expected: tuple[ClientEvent, ...]) -> None:
    assert parse_line(printed) == expected


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        ("No saved session found with ID 1. Run `qwen --resume`", "lost"),
        ("Unknown arguments: nonsense", "refused"),
        ("[API Error: 402 Insufficient balance]", "billing"),
        ("[API Error: 429 Too many requests]", "limit"),
        ("[API Error: 503 overloaded]", "overloaded"),
        ("[API Error: 404 no such model]", "refused"),
        ("[API Error: Connection error. (cause: ECONNREFUSED)]", "network"),
        ("Segmentation fault", "crashed"),
    ],
)
def test_why_it_failed(stderr: str, expected: ClientFault) -> None:
    assert classify_failure(stderr) == expected


def test_a_new_conversation_may_edit_and_report() -> None:
    *begin, tools = build_arguments(ClientCall(session="s"))
    assert begin == [
        *("--output-format", "stream-json", "--session-id", "s", "--approval-mode", "auto-edit")
    ]
    assert tools.startswith("--allowed-tools=run_shell_command(untildone criterion),")


def test_the_users_permissions_replace_ours() -> None:
    call = ClientCall(session="s", begun=True, arguments=("--yolo", "--model", "m"))
    stream = ("--output-format", "stream-json")
    assert build_arguments(call) == (*stream, "--resume", "s", "--yolo", "--model", "m")
