"""Codex: payloads as the client sends them, answers as it reads them."""

import json
from typing import Any

import pytest

from agents.codex.payloads import load_payload
from untildone.agents.codex import agent as codex
from untildone.agents.codex import headless, hooks
from untildone.agents.events import Prompt, SessionStarted, Stop
from untildone.core.verdict import Continue, Finish, Ignore, Pause, Verdict, Wait

SESSION = "01a1e059-1a50-7732-8857-1a3e6c012010"
TURN = "01a1e059-1a6f-70f2-8af2-83ac868c57e1"
TRANSCRIPT = f"/home/dev/.codex/sessions/2026/11/15/rollout-2026-11-15T17-54-58-{SESSION}.jsonl"


def read(label: str, event: str) -> dict[str, Any]:
    return hooks.translate(event, load_payload(label))


@pytest.mark.parametrize(
    ("label", "message", "held_before"),
    [("stop", "t2", False), ("stop after a hold", "DONE", True)],
)
def test_a_stop(label: str, message: str, held_before: bool) -> None:
    assert codex.parse_stop(read(label, "Stop"), {}) == Stop(
        session=SESSION,
        cwd="/home/dev/app",
        prompt=TURN,
        message=message,
        transcript=TRANSCRIPT,
        held_before=held_before,
    )


def test_a_prompt() -> None:
    assert codex.parse_prompt(read("prompt", "UserPromptSubmit"), {}) == Prompt(
        session=SESSION, text="do it", cwd="/home/dev/app", prompt=TURN
    )


def test_a_session_start() -> None:
    started = codex.parse_session_start(read("session start", "SessionStart"))
    assert started == SessionStarted(session=SESSION, source="startup")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("codex", "exec", "--json", "-"), True),
        (("node", "/bin/codex", "exec", "go"), True),
        (("codex", "-m", "x", "exec"), True),
        (("codex",), False),
        ((), False),
    ],
)
def test_headless_is_seen_by_the_command_line(arguments: tuple[str, ...], expected: bool) -> None:
    assert codex.is_headless(arguments) is expected


@pytest.mark.parametrize(
    ("verdict", "feedback", "notice", "expected"),
    [
        (Continue(cause="unmet"), "do", "", {"decision": "block", "reason": "do"}),
        (
            Continue(cause="unmet"),
            "",
            "held",
            {"decision": "block", "reason": "untildone: not done", "systemMessage": "held"},
        ),
        (Finish(outcome="done", reason="x"), "", "done", {"systemMessage": "done"}),
        (Pause(outcome="paused", reason="x"), "", "paused", {"systemMessage": "paused"}),
        (Wait(reason="x"), "", "", None),
        (Ignore(reason="x"), "do", "held", None),
    ],
)
def test_the_answer_to_a_stop(
    verdict: Verdict, feedback: str, notice: str, expected: dict[str, str] | None
) -> None:
    answer = codex.format_reply(verdict, feedback=feedback, notice=notice, environ={})
    assert (json.loads(answer) if answer else None) == expected


def test_the_answer_to_a_prompt() -> None:
    context = {"hookEventName": "UserPromptSubmit", "additionalContext": "more"}
    assert json.loads(
        codex.pass_prompt(Prompt(session="s", text="t"), context="more", notice="seen")
    ) == {
        "hookSpecificOutput": context,
        "systemMessage": "seen",
    }
    assert codex.pass_prompt(Prompt(session="s", text="t"), context="", notice="") == ""
    assert json.loads(codex.consume_prompt("paused")) == {"decision": "block", "reason": "paused"}


def test_context_at_other_events() -> None:
    greeting = json.loads(codex.format_greeting(context="go on", notice=""))
    assert greeting["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    after = json.loads(codex.add_context_after_tool("errors"))
    assert after["hookSpecificOutput"]["hookEventName"] == "PostToolUse"
    assert json.loads(codex.end_turn("spent")) == {
        "continue": False,
        "stopReason": "spent",
        "systemMessage": "spent",
    }


def test_its_parts() -> None:
    assert codex.load_headless() is headless
    assert codex.HOOKS is hooks
