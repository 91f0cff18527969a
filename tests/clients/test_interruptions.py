"""A turn that breaks off, and hooks that fail: nobody is trapped, and `status` tells it."""

import json
from pathlib import Path

import pytest

from clients.machine import CHECK, ClientMachine
from clients.process import kill_client
from clients.settings import set_values
from clients.table import CLIENTS

# The file with the hooks, and the client's name of a stop.
STOPS = {
    "gemini": (".gemini/settings.json", "AfterAgent"),
    "qwen": (".qwen/settings.json", "Stop"),
}


@pytest.fixture(params=STOPS)
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> ClientMachine:
    return ClientMachine(tmp_path, CLIENTS[request.param])


def begin(machine: ClientMachine, check: str = CHECK) -> str:
    """Start a loop in a turn whose client dies after a hold; return the conversation's id."""
    start = f"/untildone:test --check '{check}' --refactor make the file"
    return machine.run(["I look.", kill_client(machine)], start).session


def test_a_resumed_conversation_is_held_again(machine: ClientMachine) -> None:
    session = begin(machine)
    assert (machine.status()["status"], machine.status()["held"]) == ("active", False)
    steps = ["I stop.", machine.client.shell("touch done.txt"), "Now."]
    turn = machine.run(steps, "go on", session=session)
    assert len(turn.server.requests) == 3, turn.output + turn.errors
    assert machine.standing()[:2] == ("finished", "done")


def test_a_hook_that_fails_lets_the_agent_go_and_is_told(machine: ClientMachine) -> None:
    session = begin(machine)
    (loop,) = (machine.home / ".local/state/untildone/loops").iterdir()
    lock = loop / "judging.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    turn = machine.run(["I stop.", "Not asked."], "go on", session=session)
    assert (turn.exit_code, len(turn.server.requests)) == (0, 1), turn.output + turn.errors
    assert "the last stop was not judged" in machine.status()["not_held_because"]


def test_a_hook_that_takes_too_long_lets_the_agent_go_and_is_told(machine: ClientMachine) -> None:
    session = begin(machine, "test ! -e slow || sleep 60; test -f done.txt")
    machine.write("slow", "")
    file, event = STOPS[machine.client.NAME]
    settings = json.loads((machine.home / file).read_text(encoding="utf-8"))
    settings["hooks"][event][0]["hooks"][0]["timeout"] = 3_000
    set_values(machine.home / file, **settings)
    turn = machine.run(["I stop.", "Not asked."], "go on", session=session)
    assert (turn.exit_code, len(turn.server.requests)) == (0, 1), turn.output + turn.errors
    assert "the last stop was not judged" in machine.status()["not_held_because"]
