"""What is Gemini CLI's own: commands in TOML, a message that repeats earlier ones, its trust."""

import json
from pathlib import Path

import pytest

from clients import gemini
from clients.machine import CHECK, ClientMachine
from untildone.agents.payloads import COMMAND_END

START = (
    f"/untildone:test --check '{CHECK}' --rounds 20 --stagnation-limit 20 --refactor make the file"
)


@pytest.fixture
def machine(tmp_path: Path) -> ClientMachine:
    return ClientMachine(tmp_path, gemini)


def test_each_round_has_the_message_of_its_own_stop(machine: ClientMachine) -> None:
    """The client sends all messages since the prompt with each stop."""
    says = ["First.", "Second.", "Third."]
    turn = machine.run([*says, gemini.shell("touch done.txt"), "Fourth."], START)
    # The custom command tells the agent its text.
    assert turn.server.sent_text(COMMAND_END)
    rounds = json.loads(machine.untildone("rounds", "--json").stdout)["rounds"]
    assert [entry["message"] for entry in rounds] == [*says, "Fourth."]


def test_hooks_of_the_project_run_in_a_trusted_folder(tmp_path: Path) -> None:
    machine = ClientMachine(tmp_path, gemini, installed=False)
    machine.untildone("init", "--agent", "gemini", "--scope", "project")
    machine.run(["It is done.", gemini.shell("touch done.txt"), "Now."], START)
    assert machine.standing() == ("finished", "done", 2)


def test_ten_holds_in_a_row_stay_below_the_clients_cap(machine: ClientMachine) -> None:
    steps = [f"Try {number}." for number in range(10)]
    machine.run([*steps, gemini.shell("touch done.txt"), "Now."], START)
    assert machine.standing() == ("finished", "done", 11)
