"""Claude Code: payloads as the client sends them, answers as it reads them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untildone.agents.claude import agent as claude
from untildone.agents.claude import headless as claude_headless
from untildone.agents.events import Prompt, SessionStarted, Stop
from untildone.core.evidence import Background
from untildone.core.verdict import Continue, Finish, Ignore, Pause, Verdict, Wait

RECORDED = Path(__file__).parent / "recorded" / "claude-2.1.325.jsonl"
SESSION = "5f0c2a9e-0000-4000-8000-00000000000a"
PROMPT = "0d9b7a52-0000-4000-8000-000000000001"
PLACE = {"session": SESSION, "cwd": "/home/dev/app", "project": "/home/dev/app"}
TRANSCRIPT = f"/home/dev/.claude/projects/-home-dev-app/{SESSION}.jsonl"
ENVIRON = {
    "AI_AGENT": "claude-code_2-1-325_harness",
    "CLAUDE_CODE_SESSION_ATTENDED": "1",
    "CLAUDE_PROJECT_DIR": "/home/dev/app",
    "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "60",
}


def payload(label: str) -> dict[str, Any]:
    lines = map(json.loads, RECORDED.read_text(encoding="utf-8").splitlines())
    (found,) = [line["stdin"] for line in lines if line["label"] == label]
    return dict(found)


def stop(**given: Any) -> Stop:  # noqa: ANN401  any field of a stop
    fields = {"transcript": TRANSCRIPT, "prompt": PROMPT, "cap": 60, "shown": True}
    return Stop(**{**PLACE, **fields, **given})


BEHIND = (
    Background(id="b6o2ot2vk", description="dev server", ends=False),
    Background(id="b7", description="sleep 9", ends=False),
    Background(id="a42c", description="sub", ends=True),
    Background(id="w1", description="workflow", ends=True),
)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("stop", stop(message="all finished")),
        ("stop after a hold", stop(message="now it is", held_before=True)),
        (
            "stop with work behind it",
            stop(
                message="started",
                plan_mode=True,
                background=BEHIND,
                scheduled=("check the deploy",),
            ),
        ),
        ("subagent stop", stop(message="sub says done", subagent=True)),
    ],
)
def test_a_stop(label: str, expected: Stop) -> None:
    assert claude.parse_stop(payload(label), ENVIRON) == expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("prompt", {"text": "test relentlessly: write the parser"}),
        ("prompt in plan mode", {"text": "how would you do it?"}),
        ("notification", {"text": payload("notification")["prompt"], "automatic": True}),
    ],
)
def test_a_prompt(label: str, expected: dict[str, Any]) -> None:
    found = claude.parse_prompt(payload(label), ENVIRON)

    whole: dict[str, Any] = {**PLACE, "prompt": PROMPT, "attended": True, **expected}
    assert found == Prompt(**whole)


@pytest.mark.parametrize(
    ("label", "source"),
    [("session start", "startup"), ("session start after compaction", "compact")],
)
def test_a_session_that_begins(label: str, source: str) -> None:
    assert claude.parse_session_start(payload(label)) == SessionStarted(
        session=SESSION, source=source
    )


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, True),
        ({"CLAUDE_CODE_ENTRYPOINT": "cli"}, True),
        ({"CLAUDE_CODE_ENTRYPOINT": "sdk-py"}, False),
        ({"CLAUDE_CODE_SESSION_ATTENDED": "0", "CLAUDE_CODE_ENTRYPOINT": "cli"}, False),
        ({"CLAUDE_CODE_SESSION_ATTENDED": "1", "CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}, True),
    ],
)
def test_whether_a_user_sits_there(environ: dict[str, str], expected: bool) -> None:
    assert claude.parse_prompt(payload("prompt"), environ).attended is expected


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, False),
        ({"CLAUDE_CODE_ENTRYPOINT": "cli"}, True),
        ({"CLAUDE_CODE_SESSION_ATTENDED": "0", "CLAUDE_CODE_ENTRYPOINT": "cli"}, False),
        ({"CLAUDE_CODE_SESSION_ATTENDED": "1"}, True),
    ],
)
def test_whether_a_hold_is_shown_on_a_screen(environ: dict[str, str], expected: bool) -> None:
    assert claude.parse_stop(payload("stop"), environ).shown is expected


@pytest.mark.parametrize(
    ("value", "expected"), [(None, 8), ("", 8), ("60", 60), ("0", 0), ("many", 8), ("-1", 8)]
)
def test_the_clients_cap(value: str | None, expected: int) -> None:
    environ = {} if value is None else {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": value}

    assert claude.parse_stop(payload("stop"), environ).cap == expected


def test_an_older_client_that_says_less() -> None:
    found = claude.parse_stop({"session_id": SESSION, "hook_event_name": "Stop"}, {})

    # Whether it goes on from a hold is unknown: its own count of holds may be running.
    assert found == Stop(session=SESSION, held_before=True, cap=8)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
fields = st.sampled_from(
    sorted({*payload("stop"), *payload("prompt"), "agent_id", "source", "new"})
)


@given(st.dictionaries(fields, values))
@settings(max_examples=200, deadline=None)
def test_unknown_fields_and_types_are_no_reason_to_fail(data: dict[str, Any]) -> None:
    found = (
        claude.parse_stop(data, {}),
        claude.parse_prompt(data, {}),
        claude.parse_session_start(data),
    )

    assert all(isinstance(event.session, str) for event in found)


HELD = Continue(cause="unmet", names=("test",))


def reply(
    verdict: Verdict, *, feedback: str = "", notice: str = "", version: str = "2-1-325"
) -> Any:  # noqa: ANN401
    environ = {"AI_AGENT": f"claude-code_{version}_harness"} if version else {}
    text = claude.format_reply(verdict, feedback=feedback, notice=notice, environ=environ)
    return json.loads(text) if text else None


def context(text: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": text}}


@pytest.mark.parametrize("version", ["2-1-325", "2-1-163", "2-2-0", "3-0-0"])
def test_held_without_being_shown_as_an_error(version: str) -> None:
    found = reply(HELD, feedback="go on", notice="held", version=version)

    assert found == {**context("go on"), "systemMessage": "held"}


@pytest.mark.parametrize("version", ["2-1-162", "2-0-999", "1-9-9", "", "garbage", "x-y-z"])
def test_held_by_the_old_form(version: str) -> None:
    assert reply(HELD, feedback="go on", version=version) == {
        "decision": "block",
        "reason": "go on",
    }


@pytest.mark.parametrize("length", [9_900, 9_901])
def test_what_would_be_cut_goes_the_old_way(length: int) -> None:
    text = "é" * length

    expected = context(text) if length == 9_900 else {"decision": "block", "reason": text}
    assert reply(HELD, feedback=text) == expected


@pytest.mark.parametrize(
    "verdict",
    [
        Finish(outcome="done", reason="every check passes"),
        Pause(outcome="stagnated", reason="nothing moved"),
        Wait(reason="plan mode"),
    ],
)
def test_let_go(verdict: Verdict) -> None:
    assert reply(verdict, feedback="never said", notice="told") == {"systemMessage": "told"}
    assert reply(verdict, feedback="never said") is None


def test_ignored_says_nothing() -> None:
    assert reply(Ignore(reason="off"), feedback="x", notice="y") is None


def test_answers_to_a_prompt() -> None:
    assert json.loads(claude.consume_prompt("cancelled")) == {
        "decision": "block",
        "reason": "cancelled",
        "hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit",
            "suppressOriginalPrompt": True,
        },
    }
    assert json.loads(
        claude.pass_prompt(Prompt(session="s", text="t"), context="c", notice="n")
    ) == {
        "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "c"},
        "systemMessage": "n",
    }
    assert claude.pass_prompt(Prompt(session="s", text="t"), context="", notice="") == ""
    assert json.loads(claude.format_greeting(context="c", notice="")) == {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "c"}
    }
    assert json.loads(claude.format_greeting(context="", notice="n")) == {"systemMessage": "n"}
    assert json.loads(claude.add_context_after_tool("c")) == {
        "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "c"}
    }


def line(operation: str, content: str | None = None, **more: object) -> str:
    fields = {"type": "queue-operation", "operation": operation, "sessionId": SESSION, **more}
    return json.dumps(fields if content is None else {**fields, "content": content})


NOTICE = "<task-notification>\n<task-id>b1</task-id>"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([], False, id="nothing"),
        pytest.param([line("enqueue", "/untildone:cancel")], True, id="typed"),
        pytest.param([line("enqueue", "go"), line("dequeue")], False, id="typed and taken"),
        pytest.param(
            [line("enqueue", "a"), line("enqueue", "b"), line("dequeue")], True, id="one left"
        ),
        pytest.param(
            [line("enqueue", "a"), line("enqueue", "b"), line("popAll", "a\nb")], False, id="Up"
        ),
        pytest.param([line("enqueue", NOTICE)], False, id="a notification"),
        pytest.param(
            [line("enqueue", NOTICE), line("enqueue", "a"), line("remove", "a")],
            False,
            id="delivered with a tool's result",
        ),
        pytest.param(
            [line("enqueue", "a"), line("remove")], False, id="removed, as older clients say it"
        ),
        pytest.param([line("dequeue"), line("enqueue", "a")], True, id="taken before the tail"),
        pytest.param([line("enqueue", "a")[5:], "{}"], False, id="a line cut in the middle"),
        pytest.param(
            ['["queue-operation"]', '"queue-operation"', "not JSON"], False, id="no entry"
        ),
        pytest.param(
            ['{"type":"user","a":"queue-operation","operation":"enqueue","content":"x"}'],
            False,
            id="another kind of entry",
        ),
        pytest.param(['"queue-operation"' + "[" * 100_000], False, id="deep"),
    ],
)
def test_input_that_waits_in_the_queue(lines: list[str], expected: bool) -> None:
    assert bool(claude.list_queued_input("\n".join(lines))) is expected


ESCAPE = '{"type":"user","message":{"content":[]},"interruptedMessageId":"msg_1"}'


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([], False, id="nothing"),
        pytest.param([ESCAPE], True, id="Esc"),
        pytest.param(
            [ESCAPE, '{"type":"mode"}', '{"type":"last-prompt"}'], True, id="Esc, earlier"
        ),
        pytest.param([ESCAPE, '{"type":"assistant","message":{}}'], False, id="went on after it"),
        pytest.param(['{"type":"user","message":{}}'], False, id="no Esc"),
        pytest.param(
            ['{"type":"assistant","interruptedMessageId":"[Request interrupted by user"}'],
            False,
            id="forged by the agent",
        ),
        pytest.param(['{"type":"user" [Request interrupted by user'], False, id="no JSON"),
    ],
)
def test_a_call_that_the_user_broke_off(lines: list[str], expected: bool) -> None:
    assert claude.was_interrupted("\n".join(lines)) is expected


@pytest.mark.parametrize(
    ("value", "items"),
    [
        pytest.param({"subject": "a", "status": "pending"}, (("a", "pending"),), id="a task"),
        pytest.param(
            [{"content": "a", "status": "completed"}, "b", {}],
            (("a", "completed"), ("", "")),
            id="a list",
        ),
        pytest.param(
            {"tool_name": "TodoWrite", "tool_input": {"todos": [{"content": "a"}]}},
            (("a", ""),),
            id="a call",
        ),
        pytest.param({"tool_name": "TodoWrite", "tool_input": "x"}, None, id="a broken call"),
        pytest.param({"tool_name": "Bash"}, None, id="another call"),
        pytest.param(None, None, id="nothing"),
    ],
)
def test_items_of_the_clients_own_list(value: object, items: object) -> None:
    assert claude.parse_todo_items(value) == items


def test_where_the_client_keeps_its_list() -> None:
    moved = claude.list_todo_paths("s1", {"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"})

    assert moved == ("/c/tasks/s1", "/c/todos/s1-agent-s1.json")
    assert claude.list_todo_paths("s1", {"HOME": "/h"})[0] == "/h/.claude/tasks/s1"
    assert claude.list_todo_paths("s1", {"USERPROFILE": "C:/h"})[0] == "C:/h/.claude/tasks/s1"


CANCELLED = '{"attachment": {"hookEvent": "Stop", "type": "hook_cancelled"}}'
ANSWERED = '{"attachment": {"hookEvent": "Stop", "type": "hook_success"}}'
OTHER = '{"attachment": {"hookEvent": "PostToolUse", "type": "hook_cancelled"}}'
SPOKEN = '{"type": "assistant"}'


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([SPOKEN, CANCELLED, OTHER], True, id="Esc during the last stop"),
        pytest.param([CANCELLED, ANSWERED], False, id="a later stop was answered"),
        pytest.param([CANCELLED, SPOKEN, "not JSON"], False, id="the agent has gone on"),
        pytest.param([OTHER], False, id="another event"),
    ],
)
def test_a_stop_that_the_user_interrupted(lines: list[str], expected: bool) -> None:
    assert claude.was_stop_interrupted("\n".join(lines)) is expected


def test_the_headless_client_is_loaded_when_it_is_asked_for() -> None:
    assert claude.load_headless() is claude_headless
