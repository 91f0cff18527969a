"""Tool calls of Gemini CLI and Qwen Code in the words of all hooks."""

from typing import Any

import pytest

from agents.recordings import payload
from untildone.agents.tool_words import translate_call
from untildone.engine.payload import Call, read_edit

PATH = "/home/dev/app/a.txt"


@pytest.mark.parametrize(
    ("client", "label", "tool", "edit"),
    [
        (("gemini", "0.61.0"), "AfterTool write_file", "Write", (PATH, None, True)),
        (("gemini", "0.61.0"), "AfterTool replace", "Edit", (PATH, "x\n", True)),
        (("qwen", "0.24.4"), "PostToolUse write_file", "Write", (PATH, "", True)),
        (("qwen", "0.24.4"), "PostToolUse edit", "Edit", (PATH, "x\n", True)),
        (("gemini", "0.61.0"), "AfterTool run_shell_command", "Bash", ("", None, False)),
    ],
)
def test_recorded_calls(
    client: tuple[str, str], label: str, tool: str, edit: tuple[str, str | None, bool]
) -> None:
    call = Call("PostToolUse", client[0], "settings", "/nowhere")
    call.data = translate_call(payload(*client, label))
    assert (call.data["tool_name"], read_edit(call)) == (tool, edit)


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ({"returnDisplay": "hi", "llmContent": "Output: hi"}, {"stdout": "hi"}),
        ({"returnDisplay": {"output": "hi"}, "llmContent": "x"}, {"stdout": "hi"}),
        ({"returnDisplay": {}, "llmContent": "x"}, {"stdout": "x"}),
        ({"llmContent": "x"}, {"stdout": "x"}),
        ({}, {"stdout": ""}),
    ],
)
def test_what_a_tool_printed(response: dict[str, Any], expected: dict[str, Any]) -> None:
    translated = translate_call({"tool_name": "run_shell_command", "tool_response": response})
    assert translated == {"tool_name": "Bash", "tool_response": expected}


def test_a_skill_that_the_model_calls() -> None:
    call = translate_call({"tool_name": "skill", "tool_input": {"skill": "untildone:cancel"}})
    assert call == {"tool_name": "Skill", "tool_input": {"skill": "untildone:cancel"}}


@pytest.mark.parametrize(
    "untouched", [{"prompt": "x"}, {"tool_name": "glob"}, {"tool_name": ["no", "text"]}]
)
def test_other_payloads_stay_as_they_are(untouched: dict[str, Any]) -> None:
    assert translate_call(untouched) == untouched
