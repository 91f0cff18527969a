"""A machine with untildone and one other client: the real programs, a scripted model."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from clients.server import ModelServer, Step
from world import GIT_IDENTITY, Machine

BIN = Path(sys.executable).parent
# Our program is measured in its own processes too.
MEASURED = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
CHECK = "test -f done.txt"


class Client(Protocol):
    """A module that knows how to run one client offline."""

    # the agent's name, as in `--agent NAME`
    @property
    def NAME(self) -> str: ...

    # the program, installed where it is missing
    def find_program(self) -> Sequence[str]: ...

    # settings without which it asks the user or a server, and its variables
    def prepare(self, home: Path, project: Path, url: str) -> Mapping[str, str]: ...

    # arguments of one headless turn; in the conversation `session`, if it is named
    def build_arguments(self, prompt: str, session: str) -> Sequence[str]: ...

    # the conversation's id in what the client printed
    def find_session(self, output: str) -> str: ...

    # one call of the shell
    def shell(self, command: str) -> Step: ...


class Turn(NamedTuple):
    exit_code: int
    output: str
    errors: str
    session: str
    server: ModelServer


class ClientMachine(Machine):
    """Home and project of a user who has this client; `installed` says whether `init` has run."""

    def __init__(self, folder: Path, client: Client, *, installed: bool = True) -> None:
        super().__init__(folder)
        self.client = client
        self.home = folder / "home"
        (self.home / "tmp").mkdir(parents=True)
        # Some clients start a login shell, which sets its own PATH.
        profile = f'PATH="{BIN}:$PATH"\n'
        (self.home / ".profile").write_text(profile, encoding="utf-8")
        self.git("init", "-q", "-b", "main")
        self.write("readme.txt", "a project\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "start")
        if installed:
            self.untildone("init", "--agent", client.NAME)

    @property
    def environment(self) -> dict[str, str]:
        """Everything the programs are given; nothing of the environment the tests run in."""
        return {
            "PATH": os.pathsep.join((str(BIN), "/usr/bin", "/bin")),
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            **GIT_IDENTITY,
            **MEASURED,
        }

    def untildone(
        self, *arguments: str, check: bool = True, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        environ = {**self.environment, **variables}
        done = self._run([str(BIN / "untildone"), *arguments], environ, limit=100)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def status(self) -> dict[str, Any]:
        (loop,) = json.loads(self.untildone("status", "--json", "--all").stdout)["loops"]
        return dict(loop)

    def standing(self) -> tuple[str, str | None, int]:
        """Status, outcome and round of the one loop."""
        loop = self.status()
        return loop["status"], loop["outcome"], loop["round"]

    def run(
        self, steps: Sequence[Step], prompt: str, *, session: str = "", limit: float = 90
    ) -> Turn:
        """One headless turn; the first begins a conversation."""
        with ModelServer(steps) as server:
            variables = self.client.prepare(self.home, self.project, server.url)
            argv = [*self.client.find_program(), *self.client.build_arguments(prompt, session)]
            done = self._run(argv, {**self.environment, **variables}, limit=limit)
        name = self.client.find_session(done.stdout + done.stderr) or session
        return Turn(done.returncode, done.stdout, done.stderr, name, server)

    def start(self, argv: Sequence[str], variables: Mapping[str, str]) -> subprocess.Popen[str]:
        """Start a program that is to be waited for, interrupted or run beside another."""
        return subprocess.Popen(
            argv,
            cwd=self.project,
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def _run(
        self, argv: Sequence[str], env: Mapping[str, str], *, limit: float
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            argv,
            cwd=self.project,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
            check=False,
        )
