"""Headless runs of the real agents by the Agent Client Protocol."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from clients import acp, codex
from clients.machine import BIN, CHECK, ClientMachine
from clients.server import Fail, ModelServer, Step


class Ran(NamedTuple):
    exit_code: int
    output: str
    server: ModelServer


class AcpMachine(ClientMachine):
    """A user's machine on which `untildone run` drives the agent."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, codex, installed=False)
        self.agent = acp.find_client(name)

    def drive(self, steps: Sequence[Step], *arguments: str) -> Ran:
        with ModelServer(steps) as server:
            variables = self.agent.prepare(self.home, self.project, server.url)
            done = subprocess.run(
                [str(BIN / "untildone"), *arguments],
                cwd=self.project,
                env={**self.environment, **variables},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=240,
                check=False,
            )
        return Ran(done.returncode, done.stdout + done.stderr, server)

    def run_task(self, steps: Sequence[Step], *options: str) -> Ran:
        agent = f"acp:{self.agent.command}"
        task = ("run", "Make the file.", "--agent", agent, "--check", CHECK)
        return self.drive(steps, *task, *options)


@pytest.fixture(params=acp.NAMES)
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> AcpMachine:
    return AcpMachine(tmp_path, request.param)


@pytest.mark.timeout(300)
def test_run_to_green_in_one_conversation(machine: AcpMachine) -> None:
    steps = ["I looked at it.", machine.agent.shell("touch done.txt"), "Now it is."]
    ran = machine.run_task(steps)
    assert machine.standing() == ("finished", "done", 2), ran.output
    assert ran.exit_code == 0
    # The second round knows what was said in the first.
    assert "I looked at it." in str(ran.server.requests[-1]), ran.output
    assert machine.status()["agent"] == f"acp:{machine.agent.command}"


@pytest.mark.timeout(300)
def test_never_green_pauses_and_continues(machine: AcpMachine) -> None:
    ran = machine.run_task(["It is done."], "--rounds", "1")
    assert machine.standing() == ("paused", "out-of-rounds", 1), ran.output
    steps = [machine.agent.shell("touch done.txt"), "Now it is."]
    ran = machine.drive(steps, "continue", "--rounds", "+1")
    assert machine.standing() == ("finished", "done", 2), ran.output


@pytest.mark.timeout(300)
def test_a_refused_key_is_no_crash(machine: AcpMachine) -> None:
    ran = machine.run_task([Fail(401, "invalid api key")] * 10)
    assert machine.standing()[:2] == ("paused", "blocked"), ran.output
    assert machine.status()["reason"].startswith("authentication: ")
