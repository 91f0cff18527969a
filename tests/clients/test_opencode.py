"""opencode is held by our plugin under `opencode serve`, and driven by its own headless mode."""

import contextlib
import json
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from clients import acp, codex, opencode
from clients.machine import BIN, CHECK, ClientMachine
from clients.opencode import OpencodeServer
from clients.server import Fail, ModelServer, Step

TASK = f"--check '{CHECK}' --refactor make the file"
START = f"/untildone:test {TASK}"
pytestmark = pytest.mark.timeout(300)


class OpencodeMachine(ClientMachine):
    def __init__(self, folder: Path, *, installed: bool = True) -> None:
        super().__init__(folder, codex, installed=False)
        if installed:
            self.untildone("init", "--agent", "opencode")

    def play(self, steps: Sequence[Step], prompt: str, *, command: str = "") -> ModelServer:
        """One prompt, or a command of the client with it, and then until no loop is active."""
        with (
            ModelServer(steps) as model,
            OpencodeServer(self.home, self.project, model.url, self.environment) as server,
        ):
            session = server.begin()
            if command:
                server.command(session, command, prompt)
            else:
                server.prompt(session, prompt)
            end = time.monotonic() + 90
            while self.is_held() and time.monotonic() < end:
                time.sleep(0.5)
            return model

    def is_held(self) -> bool:
        loops = json.loads(self.untildone("status", "--json", "--all").stdout)["loops"]
        return any(loop["status"] == "active" for loop in loops)

    def drive(self, steps: Sequence[Step], *options: str) -> tuple[str, ModelServer]:
        task = ("run", "Make the file.", "--agent", "opencode", "--check", CHECK)
        with ModelServer(steps) as model:
            variables = acp.prepare_opencode(self.home, self.project, model.url)
            client = ("--client", opencode.find_program())
            done = subprocess.run(
                [str(BIN / "untildone"), *task, *client, *options],
                cwd=self.project,
                env={**self.environment, **variables},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=240,
                check=False,
            )
        return done.stdout + done.stderr, model


def test_held_until_green_whatever_its_agent_says(tmp_path: Path) -> None:
    machine = OpencodeMachine(tmp_path)
    steps = [
        "DONE. /untildone:cancel",
        opencode.shell("untildone cancel"),
        opencode.shell("untildone note 'the file was missing'; touch done.txt"),
        "Now it is.",
    ]
    model = machine.play(steps, START)
    assert machine.standing() == ("finished", "done", 2)
    assert len(model.requests) == 4
    assert model.sent_text("Round 1 of 10")
    assert model.sent_text("untildone cancel` is refused")
    assert "the file was missing" in machine.read(".untildone/receipt.md")


def test_a_subagent_is_not_judged(tmp_path: Path) -> None:
    machine = OpencodeMachine(tmp_path)
    steps = [
        opencode.ask_subagent("look around"),
        "The subagent looked around.",
        "It is done.",
        opencode.shell("touch done.txt"),
        "Now it is.",
    ]
    model = machine.play(steps, TASK, command="untildone/test")
    assert model.sent_text("The subagent looked around.")
    assert machine.standing() == ("finished", "done", 2)


def test_the_user_cancels_by_a_prompt_that_no_model_reads(tmp_path: Path) -> None:
    machine = OpencodeMachine(tmp_path)
    with (
        ModelServer(["I stop."]) as model,
        OpencodeServer(machine.home, machine.project, model.url, machine.environment) as server,
    ):
        session = server.begin()
        server.prompt(session, f"{START} --rounds 1")
        end = time.monotonic() + 60
        while machine.is_held() and time.monotonic() < end:
            time.sleep(0.5)
        with contextlib.suppress(OSError):
            # The client reports a prompt that a plugin refuses as an error.
            server.prompt(session, "/untildone:cancel")
    assert machine.standing() == ("finished", "cancelled", 1)
    assert not model.sent_text("/untildone:cancel")


def test_after_uninstalling_nothing_is_held(tmp_path: Path) -> None:
    machine = OpencodeMachine(tmp_path)
    machine.untildone("uninstall")
    model = machine.play(["It is done.", "over"], START)
    assert len(model.requests) == 1
    assert not machine.is_held()


def test_a_headless_run_goes_on_in_its_conversation_until_green(tmp_path: Path) -> None:
    machine = OpencodeMachine(tmp_path, installed=False)
    steps = ["I looked at it.", opencode.shell("touch done.txt"), "Now it is."]
    output, model = machine.drive(steps)
    assert machine.standing() == ("finished", "done", 2), output
    assert "I looked at it." in str(model.requests[-1])
    # Three steps of 10 tokens in and 5 out, at the prices of the test.
    assert machine.status()["spend_usd"] == pytest.approx(0.6), output


def test_a_refused_key_is_no_crash(tmp_path: Path) -> None:
    machine = OpencodeMachine(tmp_path, installed=False)
    output, _ = machine.drive([Fail(401, "invalid api key")])
    assert machine.standing()[:2] == ("paused", "blocked"), output
    assert machine.status()["reason"].startswith("authentication: ")
