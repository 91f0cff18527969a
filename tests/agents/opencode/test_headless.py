"""`opencode run --format json`: lines recorded from 1.18.33."""

import json

import pytest

from untildone.agents import headless as shared
from untildone.agents.opencode import agent
from untildone.agents.opencode.headless import build_arguments, classify_failure, parse_line


def line(kind: str, **fields: object) -> bytes:
    return json.dumps({"type": kind, "timestamp": 1, "sessionID": "ses_1", **fields}).encode()


def tokens(**fields: int) -> dict[str, object]:
    return {"input": 10, "output": 5, "reasoning": 1, "cache": {"read": 2, "write": 3}, **fields}


def test_a_conversation_is_begun_and_resumed() -> None:
    new = shared.ClientCall(session="s", arguments=("--model", "x"))
    begun = shared.ClientCall(session="s", client_session="ses_1", begun=True)
    assert build_arguments(new) == ("run", "--format", "json", "--model", "x")
    assert build_arguments(begun) == ("run", "--format", "json", "--session", "ses_1")


def test_the_session_text_and_tools_are_told() -> None:
    assert parse_line(line("step_start", part={})) == (shared.SessionNamed(session="ses_1"),)
    assert parse_line(line("text", part={"text": "Hi."})) == (shared.AgentText(text="Hi."),)
    part = {"tool": "bash", "state": {"status": "completed", "input": {"command": "ls\n -l"}}}
    assert parse_line(line("tool_use", part=part)) == (shared.Tool(name="bash", detail="ls -l"),)


def test_a_rejected_tool_call_is_denied() -> None:
    error = "The user rejected permission to use this specific tool call."
    part = {"tool": "bash", "state": {"status": "error", "error": error}}
    _, denied = parse_line(line("tool_use", part=part))
    assert denied == shared.Denied(tool="bash", reason=error)


def test_steps_are_counted_and_the_last_one_returns() -> None:
    step = {"reason": "tool-calls", "cost": 0.25, "tokens": tokens()}
    fill = shared.ContextFill(tokens=21)
    assert parse_line(line("step_finish", part=step)) == (fill, shared.StepCost(cost_usd=0.25))
    last = {"reason": "stop", "cost": 0, "tokens": tokens()}
    assert parse_line(line("step_finish", part=last)) == (fill, shared.Returned(turns=1))


@pytest.mark.parametrize(
    ("error", "fault", "reason"),
    [
        (
            {"name": "APIError", "data": {"message": "slow down", "statusCode": 429}},
            "limit",
            "slow down",
        ),
        (
            {"name": "UnknownError", "data": {"message": "Unauthorized"}},
            "authentication",
            "Unauthorized",
        ),
        ({"name": "Odd"}, "crashed", "Odd"),
    ],
)
def test_errors_are_told_apart(
    error: dict[str, object], fault: shared.ClientFault, reason: str
) -> None:
    assert parse_line(line("error", error=error)) == (shared.Returned(fault=fault, reason=reason),)


@pytest.mark.parametrize("noise", [b"", b"text", b"{", b"[]", line("reasoning", part={})])
def test_other_lines_mean_nothing(noise: bytes) -> None:
    assert parse_line(noise) == ()


def test_failures_without_a_line() -> None:
    assert classify_failure("Error: Session not found") == "lost"
    assert agent.load_headless().PROGRAM == "opencode"
