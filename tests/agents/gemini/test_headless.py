"""Gemini CLI's stream of JSON lines, as 0.61.0 prints it, in our words."""

import json
from typing import Any

import pytest

from untildone.agents.gemini.headless import build_arguments, classify_failure, parse_line
from untildone.agents.headless import (
    ClientCall,
    ClientEvent,
    ClientFault,
    Denied,
    Returned,
    TextPart,
    Tool,
)

QUOTA = "[API Error: Resource exhausted]\nPlease wait and try again later."
SHELL_ID = "run_shell_command__run_shell_command_1794925132952_0"


def line(kind: str, **fields: Any) -> bytes:  # noqa: ANN401  any JSON value
    return json.dumps({"type": kind, **fields}).encode()


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        pytest.param(line("init", session_id="s", model="m"), (), id="init"),
        pytest.param(line("message", role="user", content="do it"), (), id="prompt"),
        pytest.param(
            line("message", role="assistant", content="t1", delta=True),
            (TextPart(text="t1"),),
            id="text",
        ),
        pytest.param(
            line("tool_use", tool_name="run_shell_command", parameters={"command": "echo\n hi"}),
            (Tool(name="run_shell_command", detail="echo hi"),),
            id="tool",
        ),
        pytest.param(
            line("tool_use", tool_name="glob", parameters=[]), (Tool(name="glob"),), id="no input"
        ),
        pytest.param(line("tool_result", status="success"), (), id="tool result"),
        pytest.param(
            line(
                "tool_result",
                tool_id=SHELL_ID,
                error={"type": "policy_violation", "message": "denied by policy"},
            ),
            (Denied(tool="run_shell_command", reason="denied by policy"),),
            id="denied",
        ),
        pytest.param(line("error", severity="warning", message="held"), (), id="warning"),
        pytest.param(line("result", status="success"), (Returned(turns=1),), id="result"),
        pytest.param(
            line("result", status="error", error={"type": "unknown", "message": QUOTA}),
            (Returned(turns=1, fault="limit", reason=QUOTA),),
            id="limit",
        ),
        pytest.param(b"Ripgrep is not available.", (), id="no JSON"),
    ],
)
def test_events_of_a_line(printed: bytes, expected: tuple[ClientEvent, ...]) -> None:
    assert parse_line(printed) == expected


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        ("Error resuming session: No previous sessions found for this project.", "lost"),
        ('Error starting session: Session ID "1-2" already exists. Use --resume', "lost"),
        ("Gemini CLI is not running in a trusted directory. To proceed, use …", "refused"),
        ("Unknown arguments: nonsense", "refused"),
        ('[API Error: {"error":{"message":"API key not valid.","code":400}}]', "authentication"),
        ("Please enable billing", "billing"),
        ("[API Error: got status: 503 Service Unavailable]", "overloaded"),
        ("[API Error: 404]", "refused"),
        ("TypeError: fetch failed", "network"),
        ("Segmentation fault", "crashed"),
    ],
)
def test_why_it_failed(stderr: str, expected: ClientFault) -> None:
    assert classify_failure(stderr) == expected


def test_a_new_conversation_may_edit_and_report() -> None:
    arguments = build_arguments(ClientCall(session="s"))
    *begin, tools = arguments
    assert begin == [
        *("--output-format", "stream-json", "--session-id", "s", "--approval-mode", "auto_edit")
    ]
    assert tools.startswith("--allowed-tools=run_shell_command(untildone criterion),")


def test_the_users_permissions_replace_ours() -> None:
    call = ClientCall(session="s", begun=True, arguments=("--yolo", "--model", "m"))
    stream = ("--output-format", "stream-json")
    assert build_arguments(call) == (*stream, "--resume", "s", "--yolo", "--model", "m")
