"""Codex: what its hooks read, in the words of all hooks, and their answers to tool calls."""

import json

import pytest

from agents.codex.payloads import load_payload
from untildone.agents.codex import hooks

APP = "/home/dev/app"


def test_the_turn_is_the_prompt() -> None:
    payload = load_payload("prompt")
    translated = hooks.translate("UserPromptSubmit", payload)
    assert translated == {**payload, "prompt_id": payload["turn_id"]}


@pytest.mark.parametrize("label", ["shell call", "shell call ended"])
def test_the_shell_has_the_name_that_all_hooks_know(label: str) -> None:
    translated = hooks.translate("PreToolUse", load_payload(label))
    assert translated["tool_name"] == "Bash"
    assert translated["tool_input"] == {"command": "echo hi > f.txt"}


@pytest.mark.parametrize(
    ("label", "files"),
    [
        ("patch", ["new.txt", "readme.txt"]),
        ("patch ended", ["new.txt", "readme.txt"]),
        ("patch that moves and deletes", ["new.txt", "sub/moved.txt", "readme.txt"]),
    ],
)
def test_a_patch_is_an_edit_of_its_files(label: str, files: list[str]) -> None:
    paths = [f"{APP}/{name}" for name in files]
    translated = hooks.translate("PreToolUse", load_payload(label))
    assert translated["tool_name"] == "Edit"
    assert translated["tool_input"] == {"file_path": paths[0], "file_paths": paths}


def test_the_output_of_a_tool_has_its_usual_place() -> None:
    translated = hooks.translate("PostToolUse", load_payload("patch ended"))
    assert "A new.txt" in str(translated["tool_response"]["stdout"])  # type: ignore[index]  # a dict


def test_a_patch_in_the_shell_stays_a_command() -> None:
    payload = load_payload("patch in the shell")
    translated = hooks.translate("PreToolUse", payload)
    paths = [f"{APP}/new.txt", f"{APP}/readme.txt"]
    assert translated["tool_name"] == "Bash"
    assert translated["tool_input"] == {**payload["tool_input"], "file_paths": paths}


@pytest.mark.parametrize("inputs", [None, [], {}, {"command": 7}])
def test_other_inputs_stay_as_they_are(inputs: object) -> None:
    payload = {"tool_name": "apply_patch", "tool_input": inputs}
    assert hooks.translate("PreToolUse", payload)["tool_input"] == inputs


def test_a_patch_without_files_and_folder_names_none() -> None:
    payload = {"tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch"}, "cwd": 7}
    translated = hooks.translate("PreToolUse", payload)
    assert translated["tool_input"] == {"file_path": "", "file_paths": []}


def test_answers() -> None:
    decision = {"permissionDecision": "deny", "permissionDecisionReason": "no"}
    assert json.loads(hooks.refuse_call("no")) == {
        "hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}
    }
    assert (hooks.permit_call("yes"), hooks.refuse_settings("no")) == ("", "")
    assert json.loads(hooks.notify("hello")) == {"systemMessage": "hello"}
