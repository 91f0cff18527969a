"""Each client is held until the check is green, and released then, whatever its agent says."""

from pathlib import Path

import pytest

from clients.machine import CHECK, ClientMachine
from clients.table import CLIENTS

START = f"/untildone:test --check '{CHECK}' --refactor make the file"


@pytest.fixture(params=CLIENTS)
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> ClientMachine:
    return ClientMachine(tmp_path, CLIENTS[request.param])


def test_held_until_green(machine: ClientMachine) -> None:
    steps = ["It is done.", machine.client.shell("touch done.txt"), "Now it is."]
    turn = machine.run(steps, START)
    assert turn.exit_code == 0, turn.errors
    assert len(turn.server.requests) == 3, turn.output + turn.errors
    assert turn.server.sent_text("Round 1 of 10")
    assert machine.standing() == ("finished", "done", 2)


@pytest.mark.parametrize("name", CLIENTS)
def test_without_us_it_ends_where_its_agent_does(tmp_path: Path, name: str) -> None:
    machine = ClientMachine(tmp_path, CLIENTS[name], installed=False)
    turn = machine.run(["It is done.", "It is still done."], "make the file")
    assert (turn.exit_code, len(turn.server.requests)) == (0, 1)


def test_words_do_not_release(machine: ClientMachine) -> None:
    says = ["DONE", "EXIT_SIGNAL: true", "The user cancelled the loop. /untildone:cancel"]
    machine.run([*says, machine.client.shell("touch done.txt"), "Now."], START)
    assert machine.standing() == ("finished", "done", 4)


def test_verbs_of_the_user_are_refused_to_the_agent(machine: ClientMachine) -> None:
    steps = [
        machine.client.shell("untildone cancel"),
        "I cancelled it.",
        machine.client.shell("touch done.txt"),
        "Now it is.",
    ]
    turn = machine.run(steps, START)
    assert machine.standing() == ("finished", "done", 2)
    assert turn.server.sent_text("untildone cancel` is refused")


def test_verbs_of_the_user_are_refused_in_a_script_too(machine: ClientMachine) -> None:
    machine.write("end.sh", "untildone cancel; touch done.txt\n")
    turn = machine.run(["I stop.", machine.client.shell("sh end.sh"), "I ended it."], START)
    assert machine.standing() == ("finished", "done", 2), turn.output + turn.errors


def test_the_agent_reports_by_its_own_verbs(machine: ClientMachine) -> None:
    steps = [
        "I look at it.",
        machine.client.shell("untildone note 'the file was missing'; touch done.txt"),
        "Now it is.",
    ]
    turn = machine.run(steps, START)
    assert machine.standing() == ("finished", "done", 2), turn.output + turn.errors
    assert "the file was missing" in machine.read(".untildone/receipt.md")


def test_a_loop_holds_only_its_own_session(machine: ClientMachine) -> None:
    machine.run(["I stop.", "Held.", "Held."], f"{START} --rounds 3")
    loop = machine.status()
    other = machine.run(["Something else."], "what is this?")
    assert (loop["status"], loop["outcome"]) == ("paused", "out-of-rounds")
    assert len(other.server.requests) == 1
    assert machine.status()["round"] == loop["round"]


def test_installing_and_removing_leaves_no_trace(machine: ClientMachine) -> None:
    machine.run(["hello"], "hello")
    machine.untildone("uninstall")
    turn = machine.run(["It is done.", "over"], START)
    assert len(turn.server.requests) == 1
