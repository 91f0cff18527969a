"""Answers of Claude Code's lean hooks."""

import json

from untildone.agents.claude import hooks


def test_a_tool_call_is_refused_or_permitted_with_a_reason() -> None:
    for answer, decision in ((hooks.refuse_call, "deny"), (hooks.permit_call, "allow")):
        specific = json.loads(answer("why"))["hookSpecificOutput"]
        assert specific == {
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": "why",
        }


def test_changed_settings_are_refused_and_the_user_told() -> None:
    expected = {"decision": "block", "reason": "why", "systemMessage": "why"}
    assert json.loads(hooks.refuse_settings("why")) == expected


def test_a_line_for_the_user() -> None:
    assert json.loads(hooks.notify("a line")) == {"systemMessage": "a line"}
