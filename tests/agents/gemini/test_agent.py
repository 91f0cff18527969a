"""Gemini CLI: payloads as the client sends them, answers as it reads them."""

import json
import tomllib
from typing import Any

import pytest

from agents import recordings
from untildone.agents.events import Prompt, SessionStarted, Stop, Usage
from untildone.agents.gemini import agent as gemini
from untildone.agents.gemini import headless, hooks
from untildone.core.verdict import Continue

SESSION = "11111111-2222-4333-8444-555555555555"
ENVIRON = {"GEMINI_PROJECT_DIR": "/home/dev/app"}
PLACE = {"session": SESSION, "cwd": "/home/dev/app", "project": "/home/dev/app"}
TRANSCRIPT = "/home/dev/.gemini/tmp/app/chats/session-2026-11-17T14-16-11111111.jsonl"
SAID = '{"id":"m1","timestamp":"2026-11-17T14:16:55.972Z","type":"gemini","content":"t2"}'
TAIL = (
    f'{{"type":"gemini","content":"t1"}}\n{{"type":"user","content":[]}}\n{SAID}\n{{"$set":{{}}}}\n'
)


def payload(event: str, label: str) -> dict[str, Any]:
    return hooks.translate(event, recordings.payload("gemini", "0.61.0", label))


def test_a_stop_has_no_message_of_earlier_stops() -> None:
    """The client sends `t1` again with `t2`, so the message is in the transcript alone."""
    stop = gemini.parse_stop(payload("Stop", "AfterAgent 2"), ENVIRON)
    assert stop == Stop(**PLACE, transcript=TRANSCRIPT, cap=gemini.CAP)  # type: ignore[arg-type]  # texts
    assert gemini.find_message(TAIL) == "t2"


def test_without_a_transcript_everything_said_is_the_message() -> None:
    translated = hooks.translate("Stop", {"session_id": "s", "prompt_response": "t1\nt2"})
    assert gemini.parse_stop(translated, {}).message == "t1\nt2"


def test_a_transcript_without_a_message() -> None:
    assert gemini.find_message('{"type":"user"}\n') == ""


@pytest.mark.parametrize(
    ("tail", "expected"),
    [(TAIL, ""), ("", ""), (TAIL + '{"type":"user","content":[]}\n{"$set":{}}', "no answer")],
)
def test_a_model_that_did_not_answer(tail: str, expected: str) -> None:
    assert gemini.find_failure(tail) == expected


def test_prompt_and_session_start() -> None:
    prompt = gemini.parse_prompt(payload("UserPromptSubmit", "BeforeAgent"), ENVIRON)
    start = gemini.parse_session_start(payload("SessionStart", "SessionStart"))
    assert prompt == Prompt(**PLACE, text="do it")  # type: ignore[arg-type]  # texts
    assert start == SessionStarted(session=SESSION, source="startup")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["node", "gemini"], False),
        (["node", "gemini", "-i", "do it"], False),
        (["node", "gemini", "-p", "do it"], True),
        (["node", "gemini", "--prompt=do it"], True),
        (["node", "gemini", "--output-format", "stream-json"], True),
    ],
)
def test_a_command_line_tells_whether_a_user_is_there(arguments: list[str], expected: bool) -> None:
    assert gemini.is_headless(arguments) is expected


def test_a_command_is_toml_with_the_same_text() -> None:
    prompt = '/untildone:test {{args}}\nrun `a "b" \\n """`\n'
    command = tomllib.loads(gemini.format_command('runs "it"', prompt))
    assert command == {"description": 'runs "it"', "prompt": prompt}


TOKENS = '"tokens":{"input":10,"output":5,"cached":4,"thoughts":2,"tool":1,"total":18}'


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            f'{{"id":"m1","timestamp":"T","type":"gemini","model":"gemini-2.5-flash",{TOKENS}}}',
            Usage(
                id="m1",
                at="T",
                provider="google",
                model="gemini-2.5-flash",
                input_tokens=7,
                output_tokens=7,
                cache_read_tokens=4,
            ),
        ),
        (f'{{"type":"user",{TOKENS}}}', None),
        ('{"type":"gemini","tokens":null}', None),
        (SAID, None),
    ],
)
def test_tokens_of_a_message(line: str, expected: Usage | None) -> None:
    assert gemini.parse_usage(line.encode()) == expected


def test_answers() -> None:
    context = {"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "c"}}
    hold = gemini.format_reply(Continue(cause="unmet"), feedback="go on", notice="", environ={})
    end = {"continue": False, "stopReason": "n", "systemMessage": "n"}
    assert json.loads(hold) == {"decision": "block", "reason": "go on"}
    assert (
        json.loads(gemini.pass_prompt(Prompt(session="s", text="t"), context="c", notice=""))
        == context
    )
    assert json.loads(gemini.consume_prompt("n")) == {"decision": "block", "reason": "n"}
    assert '"SessionStart"' in gemini.format_greeting(context="c", notice="")
    assert '"AfterTool"' in gemini.add_context_after_tool("c")
    assert json.loads(gemini.end_turn("n")) == end


def test_answers_of_the_lean_hooks() -> None:
    assert json.loads(hooks.refuse_call("no")) == {"decision": "deny", "reason": "no"}
    assert hooks.permit_call("yes") == hooks.refuse_settings("no") == ""
    assert json.loads(hooks.notify("n")) == {"systemMessage": "n"}


def test_a_tool_call_has_our_words() -> None:
    call = payload("PreToolUse", "BeforeTool run_shell_command")
    assert (call["tool_name"], call["tool_input"]) == ("Bash", {"command": "echo hi"})


def test_the_headless_client() -> None:
    assert gemini.load_headless() is headless
