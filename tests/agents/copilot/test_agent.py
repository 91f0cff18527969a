"""GitHub Copilot CLI: payloads as 1.0.102 sends them, answers as it reads them."""

import json
from pathlib import Path
from typing import Any

import pytest

from untildone.agents.copilot import agent as copilot
from untildone.agents.copilot import hooks
from untildone.agents.events import Prompt, SessionStarted, Stop, Usage
from untildone.agents.payloads import COMMAND_END
from untildone.core.verdict import Continue, Finish, Ignore, Verdict

RECORDED = Path(__file__).parent / "recorded"
SESSION = "54f3f826-3c97-4ef5-80d3-361642e62b8f"
APP = "/home/dev/app"
ENVIRON = {"COPILOT_PROJECT_DIR": APP}
TRANSCRIPT = (RECORDED / "transcript-1.0.102.jsonl").read_text(encoding="utf-8")


def read(event: str, label: str) -> dict[str, Any]:
    """The recorded payload in the words of all hooks."""
    lines = map(json.loads, (RECORDED / "copilot-1.0.102.jsonl").read_text("utf-8").splitlines())
    (found,) = [line["stdin"] for line in lines if line["label"] == label]
    return hooks.translate(event, dict(found))


@pytest.mark.parametrize(
    ("label", "held_before"), [("agentStop", False), ("agentStop after a hold", True)]
)
def test_stop(label: str, held_before: bool) -> None:
    transcript = f"/home/dev/.copilot/session-state/{SESSION}/events.jsonl"
    expected = Stop(
        session=SESSION,
        cwd=APP,
        project=APP,
        transcript=transcript,
        held_before=held_before,
        cap=8,
        cap_counts_calls=True,
    )
    assert copilot.parse_stop(read("Stop", label), ENVIRON) == expected


def test_prompt_and_start_of_a_session() -> None:
    prompt = copilot.parse_prompt(read("UserPromptSubmit", "userPromptTransformed"), ENVIRON)
    sent = "<current_datetime>2026-11-17T14:15:07.568+00:00</current_datetime>\n\ndo it"
    assert prompt == Prompt(session=SESSION, text="do it", model_text=sent, cwd=APP, project=APP)
    started = copilot.parse_session_start(read("SessionStart", "sessionStart"))
    assert started == SessionStarted(session=SESSION, source="startup")
    resumed = hooks.translate("SessionStart", {"sessionId": "s", "source": "resume"})
    assert copilot.parse_session_start(resumed).source == "resume"


# As the client sends it after `/untildone-test --rounds 3` in a terminal.
INVOKED = f"""\
The user explicitly invoked the "/untildone-test" skill. Follow its instructions now.

<skill-context name="untildone-test">
Base directory for this skill: /home/dev/.copilot/skills/untildone-test

/untildone:test --rounds 3
{COMMAND_END}
Work on it.

</skill-context>"""


def test_command_of_ours() -> None:
    prompt = copilot.parse_prompt({"session_id": SESSION, "prompt": INVOKED}, {})
    assert prompt.text == "/untildone:test --rounds 3\n"
    skill = copilot.format_command("Tests.", "/untildone:test $ARGUMENTS\n")
    front = "---\ndescription: Tests.\ndisable-model-invocation: true\n---\n"
    assert skill == f"{front}/untildone:test $ARGUMENTS\n"


@pytest.mark.parametrize(
    ("label", "tool", "inputs"),
    [
        ("preToolUse create", "Write", {"file_path": f"{APP}/a.txt", "content": "one\n"}),
        (
            "preToolUse edit",
            "Edit",
            {"file_path": f"{APP}/a.txt", "old_string": "one", "new_string": "two"},
        ),
    ],
)
def test_tool_call(label: str, tool: str, inputs: dict[str, str]) -> None:
    payload = read("PreToolUse", label)
    assert (payload["tool_name"], payload["tool_input"]) == (tool, inputs)


def test_result_of_a_command() -> None:
    payload = read("PostToolUse", "postToolUse bash")
    assert payload["tool_name"] == "Bash"
    assert payload["tool_response"]["stdout"].startswith("hi\n")


def test_unusual_tool_calls() -> None:
    text = "*** Begin Patch\n*** Update File: a.py\n@@\n*** Delete File: b.py\n"
    patch: dict[str, object] = {"toolName": "apply_patch", "toolArgs": text}
    edited = {"file_path": "a.py", "file_paths": ["a.py", "b.py"]}
    assert hooks.translate("PreToolUse", patch)["tool_input"] == edited
    done = hooks.translate("PostToolUse", {"toolName": "other", "toolResult": None})
    nothing = {"file_path": "", "file_paths": []}
    expected = {"tool_name": "other", "tool_input": nothing, "tool_response": {"stdout": ""}}
    assert done == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("copilot", "-p", "do it"), True),
        (("copilot", "--prompt=do it"), True),
        (("copilot", "--acp"), True),
        (("copilot", "--resume"), False),
    ],
)
def test_whether_a_user_is_there(arguments: tuple[str, ...], expected: bool) -> None:
    assert copilot.is_headless(arguments) is expected


NOTICE = '{"type": "progress", "message": "round 1"}'
HOLD = Continue(cause="unmet")


@pytest.mark.parametrize(
    ("verdict", "feedback", "notice", "expected"),
    [
        pytest.param(HOLD, "fix it", "", '{"decision": "block", "reason": "fix it"}', id="held"),
        pytest.param(
            HOLD,
            "",
            "round 1",
            f'{NOTICE}\n{{"decision": "block", "reason": "untildone: not done"}}',
            id="held with a notice",
        ),
        pytest.param(Finish(outcome="done", reason="green"), "", "round 1", NOTICE, id="released"),
        pytest.param(Finish(outcome="done", reason="green"), "", "", "", id="in silence"),
        pytest.param(Ignore(reason="off"), "", "round 1", "", id="ignored"),
    ],
)
def test_answers_to_a_stop(verdict: Verdict, feedback: str, notice: str, expected: str) -> None:
    answer = copilot.format_reply(verdict, feedback=feedback, notice=notice, environ={})
    assert answer == expected


def test_answers_to_other_events() -> None:
    prompt = copilot.parse_prompt(read("UserPromptSubmit", "userPromptTransformed"), ENVIRON)
    passed = copilot.pass_prompt(prompt, context="more", notice="round 1")
    text = json.dumps({"modifiedTransformedPrompt": f"{prompt.model_text}\n\nmore"})
    assert passed == f"{NOTICE}\n{text}"
    assert copilot.pass_prompt(prompt, context="", notice="round 1") == NOTICE
    # Without the text that it would replace, the prompt stays as it is.
    assert copilot.pass_prompt(Prompt(session="s", text="x"), context="more", notice="") == ""
    assert copilot.end_turn("round 1") == NOTICE
    context = '{"additionalContext": "more"}'
    assert copilot.format_greeting(context="more", notice="round 1") == f"{NOTICE}\n{context}"
    assert copilot.format_greeting(context="", notice="") == ""
    assert copilot.add_context_after_tool("more") == context
    consumed = json.loads(copilot.consume_prompt("untildone: cancelled"))
    assert consumed["modifiedTransformedPrompt"].endswith("\n\nuntildone: cancelled")


def test_answers_to_tool_calls() -> None:
    refused = {"permissionDecision": "deny", "permissionDecisionReason": "no"}
    assert json.loads(hooks.refuse_call("no")) == refused
    assert json.loads(hooks.permit_call("yes"))["permissionDecision"] == "allow"
    assert hooks.refuse_settings("no") == ""


def test_last_message_is_in_the_transcript() -> None:
    assert copilot.find_message(TRANSCRIPT) == "second end"
    empty = '{"type":"assistant.message","data":{"content":""}}'
    assert copilot.find_message(f"{TRANSCRIPT}{empty}\nnoise\n") == "second end"
    assert copilot.find_message("") == ""


def test_tokens_of_a_request() -> None:
    usages = [copilot.parse_usage(line.encode()) for line in TRANSCRIPT.splitlines()]
    first = Usage(
        id="129c1562-55a4-4e27-a4ba-b1bd01c72344",
        at="2026-11-17T14:15:07.645Z",
        provider="openai",
        model="gpt-4.1",
        input_tokens=10,
        output_tokens=5,
    )
    found = [usage for usage in usages if usage]
    assert (found[0], len(found)) == (first, 3)


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ('{"type":"session.error","data":{"errorType":"rate_limit"}}\n{"type":"x"}', "rate_limit"),
        ('{"type":"session.error","data":{}}', "unknown"),
        (TRANSCRIPT, ""),
        ("", ""),
    ],
)
def test_failure_in_the_transcript(tail: str, expected: str) -> None:
    assert copilot.find_failure(tail) == expected


def test_headless_module() -> None:
    assert copilot.load_headless().PROGRAM == "copilot"
