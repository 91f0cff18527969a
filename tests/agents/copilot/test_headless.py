"""Copilot's JSON lines, as 1.0.102 prints them, in our words."""

import json
from typing import Any

import pytest

from untildone.agents.copilot.headless import build_arguments, classify_failure, parse_line
from untildone.agents.headless import (
    AgentText,
    ClientCall,
    ClientEvent,
    ClientFault,
    ContextFill,
    Denied,
    Retrying,
    Returned,
    Tool,
)


def line(kind: str, **data: Any) -> bytes:  # noqa: ANN401  any JSON value
    return json.dumps({"type": kind, "data": data}).encode()


METRICS = {"metrics": {"context_current_tokens": 900}}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param(b"noise", (), id="noise"),
        pytest.param(line("session.tools_updated"), (), id="unknown"),
        pytest.param(line("assistant.message", content="hi"), (AgentText(text="hi"),), id="text"),
        pytest.param(line("assistant.message", content=""), (), id="only tools"),
        pytest.param(
            line("tool.execution_start", toolName="bash", arguments={"command": "echo\n hi"}),
            (Tool(name="bash", detail="echo hi"),),
            id="tool",
        ),
        pytest.param(line("tool.execution_complete", success=True), (), id="end of a tool"),
        pytest.param(
            line("tool.execution_complete", toolTelemetry=METRICS),
            (ContextFill(tokens=900),),
            id="context",
        ),
        pytest.param(
            line("tool.execution_complete", error={"code": "denied", "message": "no user"}),
            (Denied(tool="a tool", reason="no user"),),
            id="denied",
        ),
        pytest.param(
            line("assistant.turn_retry", reason="rate_limit"),
            (Retrying(reason="rate_limit"),),
            id="retry",
        ),
        pytest.param(
            line("session.error", errorType="rate_limit", message="Last error", statusCode=429),
            (Returned(fault="limit", reason="Last error"),),
            id="limit",
        ),
        pytest.param(
            line("session.error", errorType="query", message="fetch failed"),
            (Returned(fault="network", reason="fetch failed"),),
            id="told by its words",
        ),
        pytest.param(b'{"type":"result","exitCode":0}', (Returned(turns=1),), id="returned"),
        pytest.param(b'{"type":"result","exitCode":1}', (), id="failed, told before"),
    ],
)
def test_lines(said: bytes, expected: tuple[ClientEvent, ...]) -> None:
    assert parse_line(said) == expected


@pytest.mark.parametrize(
    ("stderr", "fault"),
    [
        ("Error: No session, task, or name matched '0d2b'.", "lost"),
        ("Authentication failed with provider (HTTP 403).", "authentication"),
        ("402 msg", "billing"),
        ("400 msg", "refused"),
        ("500 msg", "overloaded"),
        ("Segmentation fault", "crashed"),
    ],
)
def test_failures(stderr: str, fault: ClientFault) -> None:
    assert classify_failure(stderr) == fault


def test_first_and_later_calls() -> None:
    first = build_arguments(ClientCall(session="s"))
    assert first[:4] == ("--output-format", "json", "--no-ask-user", "--session-id=s")
    assert "--allow-tool=write" in first
    later = build_arguments(ClientCall(session="s", begun=True, arguments=("--allow-all-tools",)))
    assert later[3:] == ("--resume=s", "--allow-all-tools")
