"""Cursor's installed lines, run with the payloads that its documentation describes."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clients import copilot
from clients.machine import CHECK, ClientMachine

SESSION = "c0ffee00-0000-4000-8000-000000000001"
OPTIONS = f"--check '{CHECK}' --promise 'ALL DONE' --done-when both --refactor"
START = f"/untildone:test {OPTIONS} make the file"


class CursorMachine(ClientMachine):
    """A user of Cursor; no other client of the machine is ever started."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, copilot, installed=False)
        self.installed = self.untildone("init", "--agent", "cursor").stdout

    def fire(self, event: str, fields: Mapping[str, object], *, mark: str = "") -> Any:  # noqa: ANN401
        """What our line answers to one of Cursor's events."""
        hooks = json.loads((self.home / ".cursor/hooks.json").read_text(encoding="utf-8"))["hooks"]
        (entry,) = hooks[event]
        common = {"conversation_id": SESSION, "generation_id": "g", "hook_event_name": event}
        payload = {**common, "workspace_roots": [str(self.project)], **fields}
        done = subprocess.run(
            ["bash", "-c", entry["command"]],
            input=mark + json.dumps(payload),
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=True,
        )
        assert done.stderr == ""
        return json.loads(done.stdout) if done.stdout else None

    def prompt(self, text: str) -> Any:  # noqa: ANN401
        return self.fire("beforeSubmitPrompt", {"prompt": text})

    def stop(self, status: str = "completed", *, mark: str = "") -> Any:  # noqa: ANN401
        return self.fire("stop", {"status": status, "loop_count": 0}, mark=mark)


@pytest.fixture
def machine(tmp_path: Path) -> CursorMachine:
    return CursorMachine(tmp_path)


def test_held_until_green(machine: CursorMachine) -> None:
    assert machine.prompt(START) is None
    machine.fire("afterAgentResponse", {"text": "I made it. ALL DONE"})
    assert "Round 1 of 10" in machine.stop()["followup_message"]
    # The words of an earlier turn do not count again.
    machine.write("done.txt", "")
    assert "ALL DONE" in machine.stop(mark="\ufeff")["followup_message"]
    machine.fire("afterAgentResponse", {"text": "<promise>ALL DONE</promise>"})
    assert machine.stop() is None
    assert machine.standing() == ("finished", "done", 3)


@pytest.mark.parametrize("status", ["aborted", "error"])
def test_only_a_completed_turn_is_held(machine: CursorMachine, status: str) -> None:
    machine.prompt(START)
    assert machine.stop(status) is None
    assert machine.standing() == ("active", None, 0)


def test_the_agent_is_refused_the_user_s_verbs(machine: CursorMachine) -> None:
    machine.prompt(START)
    call = {"tool_name": "Shell", "tool_input": {"command": "untildone cancel"}}
    assert machine.fire("preToolUse", call)["permission"] == "deny"
    answer = machine.prompt("/untildone:cancel")
    assert (answer.get("continue"), "cancelled" in answer["user_message"]) == (False, True), answer
    assert machine.standing()[:2] == ("finished", "cancelled")


def test_what_was_not_tried_is_said(machine: CursorMachine) -> None:
    text = "Cursor: not tried with the real client"
    assert f"note: {text}" in machine.installed
    assert text in machine.untildone("doctor", check=False).stdout


def test_no_limit_of_holds_and_no_trace_afterwards(machine: CursorMachine) -> None:
    path = machine.home / ".cursor/hooks.json"
    (entry,) = json.loads(path.read_text(encoding="utf-8"))["hooks"]["stop"]
    assert entry["loop_limit"] is None
    machine.untildone("uninstall")
    assert not path.parent.exists()
