"""Events in the words that all hooks use."""

from typing import Any

import pytest

from untildone.agents import payloads
from untildone.agents.claude import hooks
from untildone.agents.events import Prompt, SessionStarted, Stop
from untildone.core.evidence import Background

ENVIRON = {"CLAUDE_PROJECT_DIR": "/app"}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, {"held_before": True}),
        ({"stop_hook_active": False}, {"held_before": False}),
        ({"permission_mode": "plan"}, {"plan_mode": True, "held_before": True}),
        ({"agent_id": "a1"}, {"subagent": True, "held_before": True}),
        ({"hook_event_name": "SubagentStop"}, {"subagent": True, "held_before": True}),
        (
            {
                "background_tasks": [
                    {"id": "1", "type": "shell", "command": "sleep 9"},
                    {"id": "2", "type": "subagent"},
                ],
                "session_crons": [{"prompt": "look again"}],
            },
            {
                "background": (
                    Background(id="1", description="sleep 9", ends=False),
                    Background(id="2", description="subagent", ends=True),
                ),
                "scheduled": ("look again",),
                "held_before": True,
            },
        ),
    ],
)
def test_a_stop(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    stop = payloads.parse_stop({"session_id": "s", **fields}, ENVIRON, hooks, cap=3)
    assert stop == Stop(session="s", project="/app", cap=3, **expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("do it", {"text": "do it"}),
        (f"/untildone:test a\n{payloads.COMMAND_END}\nmore", {"text": "/untildone:test a\n"}),
        (" <note> x", {"text": " <note> x", "automatic": True}),
    ],
)
def test_a_prompt(text: str, expected: dict[str, Any]) -> None:
    payload = {"session_id": "s", "prompt": text, "prompt_id": "p"}
    prompt = payloads.parse_prompt(payload, ENVIRON, hooks, automatic=("<note>",))
    assert prompt == Prompt(session="s", project="/app", prompt="p", **expected)


def test_a_session_start() -> None:
    started = payloads.parse_session_start({"session_id": "s", "source": "resume"})
    assert started == SessionStarted(session="s", source="resume")
