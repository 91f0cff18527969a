"""Answers that several clients read."""

import json

import pytest

from untildone.agents import answers
from untildone.core.verdict import Continue, Finish, Ignore, Pause, Verdict, Wait


@pytest.mark.parametrize(
    ("verdict", "notice", "expected"),
    [
        (Continue(cause="unmet"), "", {"decision": "block", "reason": "go on"}),
        (
            Continue(cause="unmet"),
            "round 1",
            {"decision": "block", "reason": "go on", "systemMessage": "round 1"},
        ),
        (Finish(outcome="done", reason="green"), "done", {"systemMessage": "done"}),
        (Pause(outcome="paused", reason="by you"), "", None),
        (Wait(reason="work"), "waits", {"systemMessage": "waits"}),
        (Ignore(reason="off"), "never shown", None),
    ],
)
def test_only_continue_holds(
    verdict: Verdict, notice: str, expected: dict[str, str] | None
) -> None:
    answer = answers.format_reply(verdict, feedback="go on", notice=notice, environ={})
    assert (json.loads(answer) if answer else None) == expected


def test_a_hold_without_feedback_has_a_reason() -> None:
    answer = json.loads(
        answers.format_reply(Continue(cause="unmet"), feedback="", notice="", environ={})
    )
    assert answer["reason"] == "untildone: not done"


@pytest.mark.parametrize(
    ("context", "notice", "expected"),
    [
        ("", "", ""),
        ("", "seen", '{"systemMessage": "seen"}'),
        (
            "more",
            "",
            '{"hookSpecificOutput": {"hookEventName": "E", "additionalContext": "more"}}',
        ),
    ],
)
def test_context_and_notice(context: str, notice: str, expected: str) -> None:
    assert answers.add_context("E", context, notice) == expected


def test_a_blocked_prompt() -> None:
    assert answers.consume_prompt("no") == '{"decision": "block", "reason": "no"}'
