"""Tokens and failures as they stand in Claude Code's transcript."""

import json
from typing import Any

import pytest

from untildone.agents.claude import agent as claude
from untildone.agents.events import Usage

AT = "2026-11-15T23:08:34.209Z"
# From a transcript of Claude Code 2.1.325.
TOKENS: dict[str, Any] = {
    "input_tokens": 1000,
    "cache_creation_input_tokens": 300,
    "cache_read_input_tokens": 500,
    "output_tokens": 200,
    "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 0},
    "cache_creation": {"ephemeral_1h_input_tokens": 100, "ephemeral_5m_input_tokens": 200},
}
USAGE = Usage(
    id="msg_1",
    at=AT,
    provider="anthropic",
    model="claude-opus-5-5",
    input_tokens=1000,
    output_tokens=200,
    cache_read_tokens=500,
    cache_write_5m_tokens=200,
    cache_write_1h_tokens=100,
    web_searches=2,
)


def line(tokens: object = TOKENS, *, at: object = AT, **message: object) -> bytes:
    said = {"id": "msg_1", "model": "claude-opus-5-5", "usage": tokens, **message}
    return json.dumps({"type": "assistant", "timestamp": at, "message": said}).encode()


def nothing(model: str = "claude-opus-5-5") -> Usage:
    return Usage(id="msg_1", at=AT, provider="anthropic", model=model)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(line(), USAGE, id="whole"),
        pytest.param(
            line({"output_tokens": 7, "cache_creation_input_tokens": 9}),
            Usage(
                id="msg_1",
                at=AT,
                provider="anthropic",
                model="claude-opus-5-5",
                output_tokens=7,
                cache_write_5m_tokens=9,
            ),
            id="a cache of the usual five minutes",
        ),
        pytest.param(
            line({"input_tokens": -5, "output_tokens": "9", "cache_read_input_tokens": 10**30}),
            nothing(),
            id="numbers that are none",
        ),
        pytest.param(line(None), nothing(), id="no tokens"),
        pytest.param(
            line({}, model="us.anthropic.claude-opus-4-5-20251101-v1:0"),
            nothing("claude-opus-4-5-20251101"),
            id="another provider's name of the model",
        ),
        pytest.param(line({}, model="gpt-9"), nothing("gpt-9"), id="another model"),
        pytest.param(line(model="<synthetic>"), None, id="the client's own message"),
        pytest.param(line(id=5), None, id="no id"),
        pytest.param(line(model=None), None, id="no model"),
        pytest.param(line(at=None), None, id="no time"),
        pytest.param(b'{"type":"user","message":{"role":"user"}}', None, id="no answer"),
        pytest.param(line()[:-9], None, id="cut off"),
        pytest.param(line()[9:], None, id="its beginning is missing"),
        pytest.param(b'["usage"]', None, id="no object"),
        pytest.param(b'{"message": "usage", "usage": 1}', None, id="no message"),
        pytest.param(b'"usage"' + b"[" * 100_000, None, id="too deep"),
    ],
)
def test_usage(text: bytes, expected: Usage | None) -> None:
    assert claude.parse_usage(text) == expected


def test_subagents_lie_in_a_folder_beside_the_transcript() -> None:
    assert claude.find_subagents_folder("/p/5f0c.jsonl") == "/p/5f0c/subagents"


def test_a_turn_is_ended_with_a_word_for_the_user_and_the_model() -> None:
    assert json.loads(claude.end_turn("no money")) == {
        "continue": False,
        "stopReason": "no money",
        "systemMessage": "no money",
    }


FAILED = {"type": "assistant", "error": "rate_limit", "isApiErrorMessage": True}


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        pytest.param([{"type": "user"}, FAILED, {"type": "last-prompt"}], "rate_limit", id="limit"),
        pytest.param([{**FAILED, "error": 529}], "unknown", id="without a name"),
        pytest.param([FAILED, {"type": "user"}], "", id="gone on since"),
        pytest.param([{**FAILED, "isApiErrorMessage": False}], "", id="an answer"),
        pytest.param([], "", id="nothing"),
    ],
)
def test_failed(entries: list[dict[str, object]], expected: str) -> None:
    assert claude.find_failure("\n".join(map(json.dumps, entries))) == expected
