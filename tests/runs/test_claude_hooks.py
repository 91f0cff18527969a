"""Hooks are read from settings and run as the client does it."""

import os
from pathlib import Path
from typing import Any

import pytest

from untildone.runs.claude_hooks import Answer, Hook, read_hooks, read_variables, run_hooks

ECHO = Hook(event="Stop", command="cat")


def settings(event: str, **hook: Any) -> dict[str, Any]:  # noqa: ANN401  JSON as it comes
    return {"hooks": {event: [{"hooks": [{"type": "command", **hook}]}]}}


def make_answer(stdout: str, exit_code: int = 0, stderr: str = "") -> Answer:
    return Answer(hook=ECHO, exit_code=exit_code, stdout=stdout, stderr=stderr)


def test_hooks_of_all_files_are_found_once_each() -> None:
    user = settings("Stop", command="a", timeout=5)
    project = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "prompt"}]}]}}
    local = settings("SessionEnd", command="b", args=["-x"])

    assert read_hooks([user, user, project, local]) == (
        Hook(event="Stop", command="a", timeout=5),
        Hook(event="SessionEnd", command="b", args=("-x",), timeout=1.5),
    )


def test_one_file_switches_all_hooks_off() -> None:
    assert read_hooks([settings("Stop", command="a"), {"disableAllHooks": True}]) == ()


def test_the_later_file_decides_a_variable() -> None:
    assert read_variables([{"env": {"A": "1", "B": 2}}, {}, {"env": {"A": "3"}}]) == {
        "A": "3",
        "B": "2",
    }


@pytest.mark.parametrize(
    ("matcher", "event", "subject", "wanted"),
    [
        pytest.param("", "PreToolUse", "Bash", True, id="none"),
        pytest.param("*", "PreToolUse", "Bash", True, id="star"),
        pytest.param("Bash|Write", "PreToolUse", "Write", True, id="one of two"),
        pytest.param("Bash", "PreToolUse", "BashOutput", False, id="whole name"),
        pytest.param("Bash", "PostToolUse", "Bash", False, id="other event"),
        pytest.param("Bash", "Stop", "", True, id="ignored at a stop"),
    ],
)
def test_a_matcher_chooses_the_tool(matcher: str, event: str, subject: str, wanted: bool) -> None:
    registered = "Stop" if event == "Stop" else "PreToolUse"

    assert Hook(event=registered, command="a", matcher=matcher).wants(event, subject) is wanted


@pytest.mark.parametrize(
    ("answer", "feedback", "notice"),
    [
        pytest.param(make_answer(""), "", "", id="silence"),
        pytest.param(make_answer("not JSON"), "", "", id="garbage"),
        pytest.param(make_answer("[1]"), "", "", id="no object"),
        pytest.param(make_answer('{"systemMessage": "hello"}'), "", "hello", id="a line"),
        pytest.param(make_answer('{"decision": "block", "reason": "why"}'), "why", "", id="block"),
        pytest.param(make_answer('{"decision": "block"}'), "blocked", "", id="no reason"),
        pytest.param(make_answer("", 2, "stderr\n"), "stderr", "", id="exit 2"),
        pytest.param(
            make_answer('{"decision": "block", "reason": "why"}', 1), "", "", id="a failed hook"
        ),
        pytest.param(
            make_answer(
                '{"hookSpecificOutput": {"additionalContext": "more"}, "systemMessage": "x"}'
            ),
            "more",
            "x",
            id="additional context",
        ),
        pytest.param(
            make_answer(
                '{"hookSpecificOutput": {"permissionDecision": "deny",'
                ' "permissionDecisionReason": "no"}}'
            ),
            "no",
            "",
            id="deny",
        ),
    ],
)
def test_an_answer_is_understood(answer: Answer, feedback: str, notice: str) -> None:
    assert (answer.feedback, answer.notice) == (feedback, notice)


def test_a_hook_reads_the_payload_and_keeps_its_errors_apart(tmp_path: Path) -> None:
    hook = Hook(event="Stop", command='cat; echo "$NAME $PWD" >&2; exit 3')

    (answer,) = run_hooks([hook], b"payload", cwd=tmp_path, env={**os.environ, "NAME": "x"})

    assert (answer.exit_code, answer.stdout, answer.stderr) == (3, "payload", f"x {tmp_path}\n")


def test_a_hook_without_a_shell_gets_its_arguments_as_they_are(tmp_path: Path) -> None:
    hook = Hook(event="Stop", command="printf", args=("%s", "$HOME; x"))

    (answer,) = run_hooks([hook], b"", cwd=tmp_path, env=dict(os.environ))

    assert answer.stdout == "$HOME; x"


def test_a_hook_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    hook = Hook(event="Stop", command="sleep 30; echo '{}'", timeout=0.2)

    (answer,) = run_hooks([hook], b"{}", cwd=tmp_path, env=dict(os.environ))

    assert (answer.timed_out, answer.exit_code, answer.feedback) == (True, None, "")


def test_a_missing_program_is_reported(tmp_path: Path) -> None:
    hook = Hook(event="Stop", command="/gone/python", args=())

    (answer,) = run_hooks([hook], b"{}", cwd=tmp_path, env=dict(os.environ))

    assert (answer.exit_code, answer.stderr) == (None, "`/gone/python` was not found")
