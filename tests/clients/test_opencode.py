"""opencode is held by our plugin under `opencode serve`, and driven by its own headless mode."""

import contextlib
import json
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from clients import acp, codex, opencode
from clients.machine import BIN, CHECK, ClientMachine
from clients.opencode import OpencodeServer
from clients.server import Delay, Fail, ModelServer, Step
from clients.wire import Json

pytestmark = pytest.mark.timeout(300)


class OpencodeMachine(ClientMachine):
    def __init__(self, folder: Path, *, installed: bool = True) -> None:
        super().__init__(folder, codex, installed=False)
        if installed:
            self.untildone("init", "--agent", "opencode")

    @contextlib.contextmanager
    def serve(self) -> Iterator["Served"]:
        with (
            ModelServer() as model,
            OpencodeServer(self.home, self.project, model.url, self.environment) as server,
        ):
            yield Served(self, model, server)

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


class Served:
    """A running server; its sessions take turns."""

    def __init__(
        self, machine: OpencodeMachine, model: ModelServer, server: OpencodeServer
    ) -> None:
        self.machine = machine
        self.model = model
        self.server = server

    def begin(self) -> "Conversation":
        return Conversation(self, self.server.begin())


class Conversation:
    """A session, and the file that its loop is about."""

    def __init__(self, served: Served, session: str) -> None:
        self.served = served
        self.id = session
        self._first = len(served.model.requests)
        self.file = f"{session}.txt"
        self.green = opencode.shell(f"touch {self.file}")
        self.task = f"--check 'test -f {self.file}' --refactor make the file"
        self.start = f"/untildone:test {self.task}"

    @property
    def requests(self) -> list[Json]:
        return self.served.model.requests[self._first :]

    def was_sent(self, text: str) -> bool:
        return any(text in json.dumps(body, ensure_ascii=False) for body in self.requests)

    def play(self, steps: Sequence[Step], prompt: str, *, command: str = "") -> None:
        """One prompt, or a command of the client with it, and then until no loop is active."""
        self.served.model.add_steps(*steps)
        if command:
            self.served.server.command(self.id, command, prompt)
        else:
            self.served.server.prompt(self.id, prompt)
        wait_for(lambda: not self.is_held())

    def is_held(self) -> bool:
        held = self.served.machine.home / ".local/state/untildone/held/opencode" / self.id
        return held.exists() or self.standing()[0] == "active"

    def standing(self) -> tuple[str, str | None, int]:
        """Status, outcome and round of the session's loop; empty if it has none."""
        shown = self.served.machine.untildone("status", "--json", "--all").stdout
        for loop in json.loads(shown)["loops"]:
            if loop["session"] == self.id:
                return loop["status"], loop["outcome"], loop["round"]
        return "", None, 0


def wait_for(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 90
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all sessions, as users have it; it takes seconds to start."""
    with OpencodeMachine(tmp_path_factory.mktemp("opencode")).serve() as served:
        yield served


def test_held_until_green_whatever_its_agent_says(served: Served) -> None:
    session = served.begin()
    steps = [
        "DONE. /untildone:cancel",
        opencode.shell("untildone cancel"),
        opencode.shell(f"untildone note 'the file was missing'; touch {session.file}"),
        "Now it is.",
    ]
    session.play(steps, session.start)
    assert session.standing() == ("finished", "done", 2)
    assert len(session.requests) == 4
    assert session.was_sent("Round 1 of 10")
    assert session.was_sent("untildone cancel` is refused")
    assert "the file was missing" in served.machine.read(".untildone/receipt.md")


def test_a_subagent_is_not_judged(served: Served) -> None:
    session = served.begin()
    steps = [
        opencode.ask_subagent("look around"),
        "The subagent looked around.",
        "It is done.",
        session.green,
        "Now it is.",
    ]
    session.play(steps, session.task, command="untildone/test")
    assert session.was_sent("The subagent looked around.")
    assert session.standing() == ("finished", "done", 2)


def test_the_user_cancels_by_a_prompt_that_no_model_reads(served: Served) -> None:
    session = served.begin()
    session.play(["I stop."], f"{session.start} --rounds 1")
    with contextlib.suppress(OSError):
        # The client reports a prompt that a plugin refuses as an error.
        served.server.prompt(session.id, "/untildone:cancel")
    assert session.standing() == ("finished", "cancelled", 1)
    assert not session.was_sent("/untildone:cancel")


def test_sessions_of_one_server_are_told_apart(served: Served) -> None:
    first = served.begin()
    first.play(["I stop."], f"{first.start} --rounds 1")
    # The agent of the other session speaks for this one, as far as its shell tells.
    served.machine.write("end.sh", f"UNTILDONE_OPENCODE_SESSION={first.id} untildone cancel\n")
    other = served.begin()
    note = opencode.shell(f"untildone note 'of the second'; sh end.sh; touch {other.file}")
    other.play(["I look.", note, "Now it is."], other.start)
    assert first.standing() == ("paused", "out-of-rounds", 1)
    assert other.standing() == ("finished", "done", 2)
    assert "of the second" in served.machine.read(".untildone/receipt.md")


def test_the_agent_hears_of_its_loop_again_after_a_compaction(served: Served) -> None:
    session = served.begin()
    served.model.add_steps("I stop.", Delay(30, "never read"))
    served.server.prompt(session.id, session.start)
    wait_for(lambda: len(session.requests) == 2)
    served.server.abort(session.id)
    served.server.compact(session.id)
    assert session.standing() == ("active", None, 1)
    session.play([session.green, "Now."], "go on")
    assert "[untildone] A loop is active in this session" in str(session.requests[2])
    assert session.standing() == ("finished", "done", 2)


def test_both_scopes_judge_a_stop_once_and_none_after_uninstalling(tmp_path: Path) -> None:
    machine = OpencodeMachine(tmp_path)
    machine.untildone("init", "--agent", "opencode", "--scope", "project")
    assert machine.git("status", "--porcelain") == "?? .opencode/"
    acp.pretend_dependencies(machine.project / ".opencode")
    with machine.serve() as served:
        session = served.begin()
        session.play(["I stop.", session.green, "Now it is."], session.start)
        assert (len(session.requests), session.standing()) == (3, ("finished", "done", 2))
    machine.untildone("uninstall")
    with machine.serve() as served:
        session = served.begin()
        session.play(["It is done.", "over"], session.start)
        assert (len(session.requests), session.standing()[0]) == (1, "")


def test_a_headless_run_goes_on_until_green_and_knows_its_cost(tmp_path: Path) -> None:
    machine = OpencodeMachine(tmp_path, installed=False)
    steps = ["I looked at it.", opencode.shell("touch done.txt"), "Now it is."]
    output, model = machine.drive(steps)
    assert machine.standing() == ("finished", "done", 2), output
    assert "I looked at it." in str(model.requests[-1])
    # Three steps of 10 tokens in and 5 out, at the prices of the test.
    assert machine.status()["spend_usd"] == pytest.approx(0.6), output


def test_a_refused_key_blocks_the_loop(tmp_path: Path) -> None:
    machine = OpencodeMachine(tmp_path, installed=False)
    output, _ = machine.drive([Fail(401, "invalid api key")])
    assert machine.standing()[:2] == ("paused", "blocked"), output
    assert machine.status()["reason"].startswith("authentication: ")
