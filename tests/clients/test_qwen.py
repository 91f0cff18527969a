"""What is Qwen Code's own: its cap, which counts every hold of a prompt."""

import json
from pathlib import Path

import pytest

from clients import qwen
from clients.machine import CHECK, ClientMachine
from clients.process import kill_client
from clients.wire import Call
from untildone.agents.payloads import COMMAND_END

CAP = "QWEN_CODE_STOP_HOOK_BLOCK_CAP"
START = (
    f"/untildone:test --check '{CHECK}' --rounds 20 --stagnation-limit 20 --refactor make the file"
)


@pytest.fixture
def machine(tmp_path: Path) -> ClientMachine:
    return ClientMachine(tmp_path, qwen)


def test_the_agent_is_held_past_the_clients_own_cap(machine: ClientMachine) -> None:
    steps = [f"Try {number}." for number in range(9)]
    turn = machine.run([*steps, qwen.shell("touch done.txt"), "Now."], START)
    assert machine.standing() == ("finished", "done", 10), turn.output + turn.errors
    assert turn.server.sent_text(COMMAND_END)


def test_a_lower_cap_of_the_user_ends_the_loop_before_the_client_does(
    machine: ClientMachine,
) -> None:
    path = machine.home / ".qwen" / "settings.json"
    text = path.read_text(encoding="utf-8")
    assert json.loads(text)["env"] == {CAP: "100"}
    path.write_text(text.replace('"100"', '"4"'), encoding="utf-8")
    look = [qwen.shell(f"echo {number} >> notes.txt") for number in range(4)]
    says = [f"Try {number}." for number in range(4)]
    turn = machine.run([step for pair in zip(look, says, strict=True) for step in pair], START)
    assert machine.standing()[:2] == ("paused", "cut-off"), turn.output + turn.errors
    assert len(turn.server.requests) == 8


def test_the_agent_hears_of_its_loop_again_after_a_compaction(machine: ClientMachine) -> None:
    session = machine.run(["I look.", kill_client(machine)], START).session
    machine.run([], "/compress", session=session)
    turn = machine.run([qwen.shell("touch done.txt"), "Now."], "go on", session=session)
    assert turn.server.sent_text("[untildone] A loop is active in this session")
    assert machine.standing()[:2] == ("finished", "done")


def test_the_model_cannot_call_our_commands_as_skills(machine: ClientMachine) -> None:
    cancel = (Call("skill", {"skill": "untildone:cancel"}),)
    turn = machine.run(["I look.", cancel, qwen.shell("touch done.txt"), "Now."], START)
    assert turn.server.sent_text("only the user can do that"), turn.output
    assert machine.standing() == ("finished", "done", 2)


def test_uninstall_restores_the_settings_byte_for_byte(machine: ClientMachine) -> None:
    machine.untildone("uninstall")
    path = machine.home / ".qwen" / "settings.json"
    before = b'{\n   "env": {"A": "b"},\n   "theme": "Qwen Dark" }\n'
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(before)
    machine.untildone("init", "--agent", "qwen")
    assert json.loads(path.read_bytes())["env"] == {"A": "b", CAP: "100"}
    machine.untildone("uninstall")
    assert path.read_bytes() == before
