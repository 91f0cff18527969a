"""Lines of a transcript of Codex 0.166.0."""

import json
from typing import Any

import pytest

from untildone.agents.codex.agent import parse_usage
from untildone.agents.events import Usage

AT = "2026-11-17T14:15:55.879Z"


def line(kind: str, **payload: Any) -> bytes:  # noqa: ANN401  any JSON value
    return json.dumps({"timestamp": AT, "type": kind, "payload": payload}).encode()


TOKENS = {"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 5, "total_tokens": 15}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            line("turn_context", model="gpt-5.5"),
            Usage(id="", at=AT, provider="openai", model="gpt-5.5"),
        ),
        (
            line("token_usage_record", response_id="resp_1", usage=TOKENS),
            Usage(
                id="resp_1",
                at=AT,
                provider="openai",
                model="",
                input_tokens=6,
                output_tokens=5,
                cache_read_tokens=4,
            ),
        ),
        (
            line("token_usage_record", response_id="r", usage={"input_tokens": -3}),
            Usage(id="r", at=AT, provider="openai", model=""),
        ),
        (line("turn_context"), None),
        (line("token_usage_record", usage=TOKENS), None),
        (line("event_msg", type="token_count"), None),
        (b'{"token_usage_record"', None),
    ],
)
def test_a_line(said: bytes, expected: Usage | None) -> None:
    assert parse_usage(said) == expected
