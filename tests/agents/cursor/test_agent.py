"""Cursor: payloads as its documentation describes them, answers as it reads them."""

import json
from pathlib import Path
from typing import Any

import pytest

from untildone.agents.cursor import agent as cursor
from untildone.agents.cursor import hooks
from untildone.agents.events import Prompt, SessionStarted, Stop
from untildone.core.verdict import Continue, Finish, Ignore, Verdict

RECORDED = Path(__file__).parent / "recorded" / "cursor-documented.jsonl"
SESSION = "c0ffee00-0000-4000-8000-000000000001"
PROMPT = "9e0e0000-0000-4000-8000-000000000002"
APP = "/home/dev/app"
ENVIRON = {"CURSOR_PROJECT_DIR": APP}


def read(event: str, label: str) -> dict[str, Any]:
    """The documented payload in the words of all hooks."""
    lines = map(json.loads, RECORDED.read_text(encoding="utf-8").splitlines())
    (found,) = [line["stdin"] for line in lines if line["label"] == label]
    return hooks.translate(event, dict(found))


@pytest.mark.parametrize(
    ("label", "prompt", "held_before", "interrupted"),
    [
        ("stop", PROMPT, False, False),
        ("stop after a hold", "9e0e0000-0000-4000-8000-000000000003", True, False),
        ("stop by the user", PROMPT, False, True),
    ],
)
def test_stop(label: str, prompt: str, held_before: bool, interrupted: bool) -> None:
    assert cursor.parse_stop(read("Stop", label), ENVIRON) == Stop(
        session=SESSION,
        cwd=APP,
        project=APP,
        prompt=prompt,
        held_before=held_before,
        interrupted=interrupted,
    )


def test_prompt_start_and_response() -> None:
    prompt = cursor.parse_prompt(read("UserPromptSubmit", "beforeSubmitPrompt"), ENVIRON)
    text = "make the tests pass"
    expected = Prompt(session=SESSION, text=text, cwd=APP, project=APP, prompt=PROMPT)
    assert prompt == expected
    started = cursor.parse_session_start(read("SessionStart", "sessionStart"))
    assert started == SessionStarted(session=SESSION, source="startup")
    response = read("AgentResponse", "afterAgentResponse")
    assert response["last_assistant_message"] == "All tests pass."


def test_tool_calls() -> None:
    call = read("PreToolUse", "preToolUse")
    assert (call["tool_name"], call["tool_input"]["command"]) == ("Bash", "npm test")
    assert read("PostToolUse", "postToolUse")["tool_response"] == {"exitCode": 0, "stdout": "ok"}


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"tool_name": "Delete", "tool_input": {"file_path": "a"}}, {"tool_name": "Write"}),
        ({"tool_name": "MCP:x", "tool_input": "text"}, {"tool_name": "MCP:x", "tool_input": {}}),
        ({"tool_output": "no JSON"}, {"tool_response": {"stdout": "no JSON"}}),
        ({"tool_output": "7"}, {"tool_response": {"stdout": "7"}}),
        ({"tool_output": {"stdout": "x"}}, {"tool_response": {"stdout": "x"}}),
        ({"workspace_roots": []}, {"cwd": ""}),
    ],
)
def test_unusual_payloads(payload: dict[str, object], expected: dict[str, object]) -> None:
    translated = hooks.translate("PostToolUse", payload)
    assert {key: translated[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        pytest.param(Continue(cause="unmet"), '{"followup_message": "fix it"}', id="held"),
        pytest.param(Finish(outcome="done", reason="green"), "", id="released"),
        pytest.param(Ignore(reason="off"), "", id="ignored"),
    ],
)
def test_answers_to_a_stop(verdict: Verdict, expected: str) -> None:
    answer = cursor.format_reply(verdict, feedback="fix it", notice="round 1", environ={})
    assert answer == expected


def test_answers_to_other_events() -> None:
    assert cursor.pass_prompt(Prompt(session="s", text="t"), context="lost", notice="lost") == ""
    consumed = {"continue": False, "user_message": "cancelled"}
    assert json.loads(cursor.consume_prompt("cancelled")) == consumed
    assert cursor.format_greeting(context="more", notice="") == '{"additional_context": "more"}'
    assert cursor.format_greeting(context="", notice="lost") == ""
    assert cursor.end_turn("over") == '{"user_message": "over"}'
    refused = json.loads(hooks.refuse_call("no"))
    assert (refused["permission"], refused["agent_message"]) == ("deny", "no")
    assert json.loads(hooks.permit_call("yes"))["permission"] == "allow"
    assert hooks.refuse_settings("no") == ""


def test_whether_a_user_is_there() -> None:
    assert cursor.is_headless(("agent", "-p"))
    assert cursor.is_headless(("agent", "--print"))
    assert not cursor.is_headless(("agent", "resume"))
    assert cursor.load_headless().PROGRAM == "cursor-agent"
