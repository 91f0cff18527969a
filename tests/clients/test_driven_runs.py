"""`untildone run --agent NAME` with the real clients: green, never green, limit, crash, resume."""

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from clients.machine import CHECK, ClientMachine
from clients.process import kill_client
from clients.server import Fail, ModelServer, Step
from clients.table import CLIENTS
from clients.wire import Call

# What the user adds behind `--`: everything is permitted.
OPTIONS = {
    "gemini": ("--yolo", "--model", "gemini-2.5-flash"),
    "qwen": ("--yolo", "--model", "gpt-4.1"),
}


@pytest.fixture(params=OPTIONS)
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> ClientMachine:
    return ClientMachine(tmp_path, CLIENTS[request.param], installed=False)


def call(
    machine: ClientMachine, steps: Sequence[Step], *arguments: str
) -> tuple[subprocess.CompletedProcess[str], ModelServer]:
    """Run untildone while the model answers with these steps."""
    with ModelServer(steps) as server:
        variables = machine.client.prepare(machine.home, machine.project, server.url)
        done = machine.untildone(*arguments, check=False, **variables)
    return done, server


def drive(
    machine: ClientMachine, steps: Sequence[Step], *arguments: str
) -> tuple[subprocess.CompletedProcess[str], ModelServer]:
    client = shlex.join(machine.client.find_program())
    name = machine.client.NAME
    begin = ("run", "make the file", "--agent", name, "--client", client, "--check", CHECK)
    return call(machine, steps, *begin, *arguments, "--", *OPTIONS[name])


def test_a_headless_run_goes_on_until_green_and_knows_its_cost(machine: ClientMachine) -> None:
    steps = ["I looked.", machine.client.shell("touch done.txt"), "Now it is."]
    done, server = drive(machine, steps)
    assert done.returncode == 0, done.stdout + done.stderr
    assert machine.standing() == ("finished", "done", 2)
    assert "I looked." in str(server.requests[1])
    # From the client's transcript, although no hook of ours is installed.
    assert machine.status()["spend_usd"] > 0


def test_a_headless_run_that_is_never_green_ends(machine: ClientMachine) -> None:
    done, server = drive(machine, ["Done."] * 5, "--rounds", "2")
    assert machine.standing() == ("paused", "out-of-rounds", 2), done.stdout + done.stderr
    assert len(server.requests) == 2


def test_a_run_pauses_at_a_limit_and_goes_on_later(machine: ClientMachine) -> None:
    done, _ = drive(machine, [Fail(429, "Too many requests")] * 9, "--no-wait")
    paused = machine.status()
    assert (paused["status"], paused["outcome"]) == ("paused", "paused"), done.stdout
    assert paused["reason"].startswith("usage limit: "), paused["reason"]
    done, _ = call(machine, [machine.client.shell("touch done.txt"), "Now."], "continue")
    assert machine.standing()[:2] == ("finished", "done"), done.stdout + done.stderr


def test_a_headless_run_survives_a_crash_of_the_client(machine: ClientMachine) -> None:
    crash = kill_client(machine)
    done, _ = drive(machine, [crash, machine.client.shell("touch done.txt"), "Now."])
    assert machine.standing()[:2] == ("finished", "done"), done.stdout + done.stderr
    assert "crashed" in done.stdout + done.stderr


def test_a_wrong_option_is_refused_by_name(machine: ClientMachine) -> None:
    client = shlex.join(machine.client.find_program())
    begin = ("run", "make the file", "--agent", machine.client.NAME, "--client", client)
    done, server = call(machine, [], *begin, "--check", CHECK, "--", "--nonsense")
    assert (server.requests, machine.status()["outcome"]) == ([], "blocked"), done.stdout
    assert "refused" in machine.status()["reason"]


def test_without_options_the_agent_may_edit_and_report(machine: ClientMachine) -> None:
    path = str(machine.project / "done.txt")
    write = (Call("write_file", {"file_path": path, "content": "x\n"}),)
    note = machine.client.shell("untildone note 'the file was missing'")
    client = shlex.join(machine.client.find_program())
    begin = ("run", "make the file", "--agent", machine.client.NAME, "--client", client)
    done, _ = call(machine, ["I look.", write, note, "Now."], *begin, "--check", CHECK)
    assert machine.standing() == ("finished", "done", 2), done.stdout + done.stderr
    assert "the file was missing" in machine.read(".untildone/receipt.md")
