"""A machine with untildone on it: the real commands, the real client, a scripted model."""

import json
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from client.conversation import Result
from client.harness import Client, allow
from client.model_server import ModelServer
from client.script import Step
from world import CHECK, GIT_IDENTITY, Machine

BIN = Path(sys.executable).parent
PLUGIN = Path(__file__).parents[2] / "plugin"
# The program is measured in its own processes too.
MEASURED = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
TOOLS = ("Bash", "Write", "Edit", "Agent", "Skill", "CronCreate", "EnterWorktree")
_NONCE = re.compile(r"(?<=output-)[0-9a-f]{8}(?=[ >])")


class ClientWorld(Machine):
    """`install` is settings (by `init`), plugin (by `--plugin-dir`), both, or nothing."""

    def __init__(
        self, folder: Path, *, install: str = "settings", project: str = "project"
    ) -> None:
        super().__init__(folder, project=project)
        self.home = folder / "home"
        self.install = install
        self.session = str(uuid.uuid4())
        # What the user sets where they start the client.
        self.variables: dict[str, str] = {}
        self._sessions_begun: set[str] = set()
        self.home.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.write("readme.txt", "a project\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "start")
        if install in ("settings", "both"):
            self.untildone("init")

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.pathsep.join([str(BIN), "/usr/bin", "/bin"]),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            **GIT_IDENTITY,
            **MEASURED,
        }

    @property
    def state_folder(self) -> Path:
        return self.home / ".local" / "state" / "untildone"

    def untildone(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [BIN / "untildone", *arguments],
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert not check or done.returncode == 0, done.stderr
        return done

    def start(self, *options: str) -> str:
        given = options or ("--check", CHECK)
        done = self.untildone("start", "--session", self.session, "--json", *given)
        return str(json.loads(done.stdout)["id"])

    def loops(self) -> list[dict[str, Any]]:
        return list(json.loads(self.untildone("status", "--json", "--all").stdout)["loops"])

    def status(self) -> dict[str, Any]:
        (loop,) = self.loops()
        return loop

    def standing(self, *fields: str) -> tuple[Any, ...]:
        """Status, outcome and round of the one loop, and whatever else is asked for."""
        status = self.status()
        return tuple(status[field] for field in ("status", "outcome", "round", *fields))

    def rounds(self, loop: str) -> list[dict[str, Any]]:
        return list(json.loads(self.untildone("rounds", loop, "--json").stdout)["rounds"])

    def shown(self, loop: str) -> dict[str, Any]:
        return dict(json.loads(self.untildone("show", loop, "--json").stdout))

    def client(self, server: ModelServer) -> Client:
        return Client(
            home=self.home,
            project=self.project,
            server=server,
            path=(BIN,),
            environ={**MEASURED, **self.variables},
        )

    def plugin(self) -> tuple[str, ...]:
        return ("--plugin-dir", str(PLUGIN)) if self.install in ("plugin", "both") else ()

    def run(
        self,
        steps: Sequence[Step],
        prompt: str = "please work",
        *arguments: str,
        stdin: str = "",
        subagents: Sequence[Step] | None = None,
        limit: float = 60,
    ) -> tuple[Result, ModelServer]:
        """One headless turn in the world's session, which the first one begins."""
        with ModelServer(steps, subagents=subagents) as server:
            result = self.client(server).run(
                prompt,
                *self._in_session(),
                *self.plugin(),
                *allow(*TOOLS),
                *arguments,
                stdin=stdin,
                limit=limit,
            )
        return result, server

    def _in_session(self) -> tuple[str, str]:
        option = "--resume" if self.session in self._sessions_begun else "--session-id"
        self._sessions_begun.add(self.session)
        return option, self.session

    def told(self, server: ModelServer) -> tuple[tuple[str, ...], ...]:
        """What each request after the first brought to the model, with names for what varies."""
        return tuple(tuple(map(self.named, texts)) for texts in server.reached_model[1:])

    def named(self, text: str) -> str:
        for loop in self._loop_ids():
            text = text.replace(loop, "LOOP")
        text = text.replace(str(self.project), "PROJECT").replace(str(self.state_folder), "STATE")
        return _NONCE.sub("NONCE", text)

    def _loop_ids(self) -> list[str]:
        folder = self.state_folder / "loops"
        return [path.name for path in folder.iterdir()] if folder.is_dir() else []
