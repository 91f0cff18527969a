"""A machine on which the user types commands; nothing is installed, no agent runs."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from client.world import BIN, MEASURED
from world import CHECK, SESSION, Machine

Output: TypeAlias = tuple[int, str, str]
Terminal: TypeAlias = Callable[[Sequence[str], Mapping[str, str], Path], Output]


class CommandLine(Machine):
    def __init__(
        self, folder: Path, *, project: str = "project", terminal: Terminal | None = None
    ) -> None:
        self.terminal = terminal
        super().__init__(folder, project=project)
        self.home = folder / "home"
        self.home.mkdir()
        self.environ = {
            "PATH": os.pathsep.join([str(BIN), "/usr/bin", "/bin"]),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            **MEASURED,
        }

    @property
    def state_folder(self) -> Path:
        return self.home / ".local" / "state" / "untildone"

    def untildone(
        self, *arguments: str, stdin: str | None = None, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        """`stdin` None is no input at all; more variables may be set for this one call."""
        return subprocess.run(
            [BIN / "untildone", *arguments],
            cwd=self.project,
            env={**self.environ, **environ},
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
            timeout=60,
        )

    def run_process(self, *arguments: str, **environ: str) -> Output:
        """Exit code and both outputs."""
        done = self.untildone(*arguments, **environ)
        return done.returncode, done.stdout, done.stderr

    def run(self, *arguments: str, **environ: str) -> Output:
        """As `run_process`, but in this process where a fixture allows it, which is quicker."""
        if self.terminal is None:
            return self.run_process(*arguments, **environ)
        return self.terminal(arguments, {**self.environ, **environ}, self.project)

    def json(self, *arguments: str, **environ: str) -> Any:  # noqa: ANN401  whatever is printed
        return json.loads(self.run(*arguments, "--json", **environ)[1])

    def start(self, *options: str, session: str = SESSION) -> str:
        given = options or ("--check", CHECK)
        return str(self.json("start", "--session", session, *given)["id"])

    def event(self, name: str, session: str = SESSION, **payload: object) -> Any:  # noqa: ANN401
        """What a hook answers; its client is the process of this test."""
        fields = {"session_id": session, "hook_event_name": name, "cwd": str(self.project)}
        done = self.untildone(
            *("hook", name, "--agent", "claude"),
            stdin=json.dumps({**fields, "prompt_id": "p1", **payload}),
            CLAUDE_CODE_SESSION_ID=session,
            CLAUDE_PROJECT_DIR=str(self.project),
            CLAUDE_PID=str(os.getpid()),
            AI_AGENT="claude-code_2-1-325_harness",
        )
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout) if done.stdout else None

    def agent_calls_a_tool(self, session: str = SESSION) -> None:
        """What the installed line leaves before a tool call: one is in flight now."""
        folder = self.state_folder / "sessions" / "claude" / session
        (folder / "pre").write_text("\n", encoding="utf-8")

    def standing(self, loop: str) -> tuple[str, str | None, int, int]:
        """Status, outcome, round and the bound of rounds."""
        found = self.json("show", loop)["status"]
        return found["status"], found["outcome"], found["round"], found["max_rounds"]


def error(message: str, hint: str) -> Output:
    """A mistake as every command tells it: what is wrong, and one remedy."""
    return 2, "", f"error: {message}\n\nhint: {hint}\n"
