"""opencode: what our plugin reports and carries out."""

import json

import pytest

from untildone.agents.events import Prompt
from untildone.agents.opencode import agent, hooks
from untildone.core.verdict import Continue, Finish, Ignore, Verdict


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (
            {"tool_name": "edit", "tool_input": {"filePath": "/a", "newString": "x"}},
            {"tool_name": "Edit", "tool_input": {"file_path": "/a", "new_string": "x"}},
        ),
        ({"tool_name": "webfetch", "tool_input": 1}, {"tool_name": "webfetch", "tool_input": 1}),
        ({"prompt": "hello"}, {"prompt": "hello"}),
    ],
)
def test_tools_get_the_names_that_all_hooks_use(
    payload: dict[str, object], expected: dict[str, object]
) -> None:
    assert hooks.translate("PreToolUse", payload) == expected


def test_tool_calls_are_refused_and_never_permitted() -> None:
    assert json.loads(hooks.refuse_call("no")) == {"refuse": "no"}
    assert hooks.permit_call("yes") == hooks.refuse_settings("no") == ""


def test_a_stop_is_read() -> None:
    payload = {"session_id": "ses_1", "cwd": "/p", "last_assistant_message": "Done."}
    stop = agent.parse_stop(payload, {})
    assert (stop.session, stop.cwd, stop.message) == ("ses_1", "/p", "Done.")


def test_a_prompt_is_read() -> None:
    assert agent.parse_prompt({"session_id": "ses_1", "prompt": "Go."}, {}).text == "Go."


HELD = Continue(cause="unmet", names=("check",), counted=True)
DONE = Finish(outcome="done", reason="every check passes")


@pytest.mark.parametrize(
    ("verdict", "feedback", "notice", "expected"),
    [
        (HELD, "go on", "held", {"prompt": "go on", "notice": "held"}),
        (HELD, "", "", {"prompt": "untildone: not done"}),
        (DONE, "", "done", {"notice": "done"}),
        (DONE, "", "", {}),
        (Ignore(reason="x"), "", "", {}),
    ],
)
def test_a_verdict_is_answered(
    verdict: Verdict, feedback: str, notice: str, expected: dict[str, str]
) -> None:
    answer = agent.format_reply(verdict, feedback=feedback, notice=notice, environ={})
    assert json.loads(answer or "{}") == expected


def test_other_answers() -> None:
    assert json.loads(agent.pass_prompt(Prompt(session="s", text="t"), context="c", notice="")) == {
        "context": "c"
    }
    assert json.loads(agent.consume_prompt("cancelled")) == {"refuse": "cancelled"}
    assert json.loads(agent.format_greeting(context="c", notice="")) == {"context": "c"}
    assert json.loads(agent.add_context_after_tool("c")) == {"context": "c"}
    assert json.loads(agent.end_turn("n")) == {"abort": "yes", "notice": "n"}
    assert json.loads(hooks.notify("n")) == {"notice": "n"}


def test_run_is_headless_and_the_server_is_not() -> None:
    assert agent.is_headless(["opencode", "run", "Go."])
    assert not agent.is_headless(["opencode", "serve"])
