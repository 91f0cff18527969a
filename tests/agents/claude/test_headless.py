"""Claude Code's stream of JSON lines, as 2.1.325 prints it, in our words."""

import json
from typing import Any

import pytest

from untildone.agents.claude.headless import build_arguments, classify_failure, parse_line
from untildone.agents.claude.permissions import LOOP_PERMISSIONS
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

USAGE = {
    "input_tokens": 3,
    "cache_creation_input_tokens": 20,
    "cache_read_input_tokens": 100,
    "output_tokens": 5,
}
BASH = {"type": "tool_use", "name": "Bash", "input": {"command": "echo\n  hi", "x": 1}}


def line(kind: str, **fields: Any) -> bytes:  # noqa: ANN401  any JSON value
    return json.dumps({"type": kind, **fields}).encode()


def assistant(*blocks: object, parent: str | None = None, **fields: Any) -> bytes:  # noqa: ANN401
    message = {"content": list(blocks), "usage": USAGE}
    return line("assistant", message=message, parent_tool_use_id=parent, **fields)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param(line("system", subtype="init", session_id="s"), (), id="init"),
        pytest.param(
            assistant({"type": "text", "text": "hello"}, {"type": "thinking"}, 7),
            (AgentText(text="hello"), ContextFill(tokens=128)),
            id="text",
        ),
        pytest.param(
            assistant(BASH, parent="toolu_1"),
            (Tool(name="Bash", detail="echo hi"),),
            id="a subagent's tool",
        ),
        pytest.param(
            assistant({"type": "text", "text": "Invalid API key"}, is_api_error_message=True),
            (),
            id="the client in the model's place",
        ),
        pytest.param(
            assistant({"type": "tool_use", "name": "X", "input": []}, parent="t"),
            (Tool(name="X"),),
            id="a tool without input",
        ),
        pytest.param(
            line("system", subtype="api_retry", attempt=2, error="overloaded"),
            (Retrying(reason="overloaded", attempt=2),),
            id="retry",
        ),
        pytest.param(
            line("system", subtype="permission_denied", tool_name="Bash", message="needs approval"),
            (Denied(tool="Bash", reason="needs approval"),),
            id="denied",
        ),
        pytest.param(
            line("rate_limit_event", rate_limit_info={"status": "rejected", "resetsAt": 1_760}),
            (Limited(until=1_760),),
            id="limited",
        ),
        pytest.param(
            line("rate_limit_event", rate_limit_info={"status": "rejected"}),
            (Limited(until=0),),
            id="limited, nobody knows until when",
        ),
        pytest.param(
            line("rate_limit_event", rate_limit_info={"status": "allowed_warning"}),
            (),
            id="soon limited",
        ),
        pytest.param(b"{not JSON", (), id="no JSON"),
        pytest.param(b"[1]", (), id="no object"),
        pytest.param(b"{" * 200_000, (), id="deep"),
        pytest.param(b"warning: something", (), id="text between"),
        pytest.param(line("assistant", message="?", parent_tool_use_id="t"), (), id="no message"),
        pytest.param(line("result"), (Returned(),), id="an empty result"),
    ],
)
def test_a_line(said: bytes, expected: tuple[ClientEvent, ...]) -> None:
    assert parse_line(said) == expected


def test_a_result() -> None:
    models = {"a": {"contextWindow": 200_000}, "b": {"contextWindow": 1_000_000}, "c": None}
    said = line(
        "result",
        subtype="success",
        is_error=False,
        result="done",
        total_cost_usd=0.25,
        num_turns=3,
        modelUsage=models,
    )

    assert parse_line(said) == (Returned(message="done", cost_usd=0.25, turns=3, window=1_000_000),)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"api_error_status": 429, "result": "x"}, "limit", id="429"),
        pytest.param({"api_error_status": 401, "result": "x"}, "authentication", id="401"),
        pytest.param({"api_error_status": 403, "result": "x"}, "authentication", id="403"),
        pytest.param(
            {"api_error_status": 400, "result": "Credit balance is too low"}, "billing", id="credit"
        ),
        pytest.param({"api_error_status": 400, "result": "x"}, "refused", id="400"),
        pytest.param({"api_error_status": 404, "result": "x"}, "refused", id="404"),
        pytest.param({"api_error_status": 529, "result": "x"}, "overloaded", id="529"),
        pytest.param({"api_error": "connection_failed", "result": "x"}, "network", id="network"),
        pytest.param({"errors": ["No conversation found with session ID: 1"]}, "lost", id="lost"),
        pytest.param({"errors": []}, "crashed", id="unknown"),
        pytest.param({"result": "5-hour limit reached ∙ resets 3pm"}, "limit", id="limit in words"),
        pytest.param({"result": "You've hit your weekly limit"}, "limit", id="weekly limit"),
        pytest.param({"subtype": "error_max_budget_usd", "errors": ["x"]}, None, id="its budget"),
        pytest.param({"subtype": "error_max_turns", "errors": ["x"]}, None, id="its turns"),
    ],
)
def test_a_result_with_a_fault(fields: dict[str, Any], expected: ClientFault | None) -> None:
    (returned,) = parse_line(line("result", is_error=True, **fields))

    assert isinstance(returned, Returned)
    assert (returned.fault, returned.message == "") == (expected, True)


def test_an_old_client_states_the_end_of_a_limit_in_its_text() -> None:
    text = "Claude AI usage limit reached|1760000000"

    (returned,) = parse_line(line("result", is_error=True, result=text))

    assert returned == Returned(fault="limit", reason=text, until=1_760_000_000)


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        pytest.param("Error: Session ID 1 is already in use.", "lost", id="in use"),
        pytest.param("Invalid API key", "authentication", id="key"),
        pytest.param("error: unknown option '--modle'", "refused", id="option"),
        pytest.param("connect ECONNREFUSED 127.0.0.1:1", "network", id="nobody answers"),
        pytest.param("getaddrinfo ENOTFOUND api.anthropic.com", "network", id="no such host"),
        pytest.param("Segmentation fault", "crashed", id="crash"),
        pytest.param("", "crashed", id="silence"),
    ],
)
def test_why_it_ended_without_a_result(stderr: str, expected: ClientFault) -> None:
    assert classify_failure(stderr) == expected


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        pytest.param(
            ClientCall(session="s"),
            ("--session-id", "s", "--permission-mode", "acceptEdits"),
            id="a new conversation",
        ),
        pytest.param(
            ClientCall(session="s", begun=True, budget_usd=2.5, arguments=("--model", "opus")),
            (
                *("--resume", "s", "--max-budget-usd", "2.500000"),
                *("--permission-mode", "acceptEdits"),
            ),
            id="resumed",
        ),
        pytest.param(
            ClientCall(session="s", arguments=("--permission-mode=plan",)),
            ("--session-id", "s"),
            id="the person's own permissions",
        ),
    ],
)
def test_arguments(ask: ClientCall, expected: tuple[str, ...]) -> None:
    stream = ("-p", "--output-format", "stream-json", "--verbose")
    verbs = ("--allowedTools", ",".join(LOOP_PERMISSIONS))

    assert build_arguments(ask) == (*stream, *expected, *verbs, *ask.arguments)
