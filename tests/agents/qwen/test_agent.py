"""Qwen Code: payloads as the client sends them, answers as it reads them."""

import json
from typing import Any

import pytest

from agents import recordings
from untildone.agents.events import Prompt, SessionStarted, Stop, Usage
from untildone.agents.qwen import agent as qwen
from untildone.agents.qwen import headless, hooks
from untildone.core.evidence import Background
from untildone.core.verdict import Continue, Pause

SESSION = "11111111-2222-4333-8444-555555555555"
ENVIRON = {"QWEN_PROJECT_DIR": "/home/dev/app"}
PLACE = {"session": SESSION, "cwd": "/home/dev/app", "project": "/home/dev/app"}
TRANSCRIPT = f"/home/dev/.qwen/projects/-home-dev-app/chats/{SESSION}.jsonl"
PROMPT = f"{SESSION}########0"


def payload(event: str, label: str) -> dict[str, Any]:
    return hooks.translate(event, recordings.payload("qwen", "0.24.4", label))


def stop(**given: Any) -> Stop:  # noqa: ANN401  any field of a stop
    fields = {"transcript": TRANSCRIPT, "prompt": PROMPT, "cap": 7, "cap_counts_calls": True}
    return Stop(**{**PLACE, **fields, **given})


@pytest.mark.parametrize(
    ("label", "expected"),
    [("Stop", stop(message="t1")), ("Stop 2", stop(message="t2", held_before=True))],
)
def test_a_stop(label: str, expected: Stop) -> None:
    assert qwen.parse_stop(payload("Stop", label), ENVIRON) == expected


def test_work_in_the_background() -> None:
    running = {"id": "a1", "status": "running", "description": "look around"}
    ended = {"id": "a2", "status": "completed", "description": "over"}
    sent = {"background_tasks": [running, ended, 7], "crons": [{"prompt": "look again"}]}
    parsed = qwen.parse_stop(hooks.translate("Stop", sent), {})
    assert parsed.background == (Background(id="a1", description="look around", ends=True),)
    assert parsed.scheduled == ("look again",)


def test_a_stop_without_a_list_of_tasks() -> None:
    assert hooks.translate("Stop", {}) == {"background_tasks": [], "session_crons": []}


@pytest.mark.parametrize(
    ("value", "cap"), [("", 8), ("x", 8), ("0", 8), (" 20 ", 20), ("100", 100), ("500", 100)]
)
def test_the_cap_as_the_client_reads_it(value: str, cap: int) -> None:
    assert qwen.read_cap({"QWEN_CODE_STOP_HOOK_BLOCK_CAP": value}) == cap


def test_prompt_and_session_start() -> None:
    prompt = qwen.parse_prompt(payload("UserPromptSubmit", "UserPromptSubmit"), ENVIRON)
    start = qwen.parse_session_start(payload("SessionStart", "SessionStart"))
    assert prompt == Prompt(**PLACE, text="do it", prompt=PROMPT)  # type: ignore[arg-type]  # texts
    assert start == SessionStarted(session=SESSION, source="startup")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["node", "cli.js", ""], False),
        (["node", "cli.js", "--model", "m"], False),
        (["node", "cli.js", "-i", "do it"], False),
        (["node", "cli.js", "do it"], True),
        (["node", "--expose-gc", "cli.js", "--yolo", "do it"], True),
        (["node", "cli.js", "-p", "do it"], True),
        (["node", "cli.js", "--output-format=json"], True),
    ],
)
def test_a_command_line_tells_whether_a_user_is_there(arguments: list[str], expected: bool) -> None:
    assert qwen.is_headless(arguments) is expected


TOKENS = (
    '"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5,"cachedContentTokenCount":4}'
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            f'{{"uuid":"m1","timestamp":"T","type":"assistant","model":"qwen3-coder",{TOKENS}}}',
            Usage(
                id="m1",
                at="T",
                provider="",
                model="qwen3-coder",
                input_tokens=6,
                output_tokens=5,
                cache_read_tokens=4,
            ),
        ),
        (f'{{"type":"system",{TOKENS}}}', None),
        ('{"type":"assistant","usageMetadata":{}}', None),
        ('{"type":"assistant"}', None),
    ],
)
def test_tokens_of_a_message(line: str, expected: Usage | None) -> None:
    assert qwen.parse_usage(line.encode()) == expected


def test_answers() -> None:
    hold = qwen.format_reply(Continue(cause="unmet"), feedback="go on", notice="", environ={})
    assert json.loads(hold) == {"decision": "block", "reason": "go on"}
    assert '"UserPromptSubmit"' in qwen.pass_prompt(
        Prompt(session="s", text="t"), context="c", notice=""
    )
    assert json.loads(qwen.consume_prompt("n")) == {"decision": "block", "reason": "n"}
    assert '"SessionStart"' in qwen.format_greeting(context="c", notice="")
    assert '"PostToolUse"' in qwen.add_context_after_tool("c")


def test_no_answer_ends_a_turn_by_continue_false() -> None:
    """This client takes `continue: false` for a hold."""
    pause = Pause(outcome="paused", reason="by you")
    released = qwen.format_reply(pause, feedback="", notice="paused", environ={})
    assert json.loads(released) == {"systemMessage": "paused"}
    assert json.loads(qwen.end_turn("over")) == {"systemMessage": "over"}


def test_answers_of_the_lean_hooks() -> None:
    begin = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": '
    assert hooks.refuse_call("no") == begin + '"deny", "permissionDecisionReason": "no"}}'
    assert hooks.permit_call("yes") == begin + '"allow", "permissionDecisionReason": "yes"}}'
    assert hooks.refuse_settings("no") == ""
    assert json.loads(hooks.notify("n")) == {"systemMessage": "n"}


def test_a_tool_call_has_our_words() -> None:
    assert payload("PreToolUse", "PreToolUse run_shell_command")["tool_name"] == "Bash"


def test_the_headless_client() -> None:
    assert qwen.load_headless() is headless
