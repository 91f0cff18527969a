"""The real Codex, offline."""

import json
import re
import shlex
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from clients.server import Step
from clients.wire import Call
from tools import CLIENTS, install_client
from untildone.agents.codex.trust import compute_hash

if TYPE_CHECKING:
    from clients.machine import ClientMachine

NAME = "codex"
_CONFIG = """\
model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"

[projects."{project}"]
trust_level = "trusted"
"""


def find_program() -> Sequence[str]:
    return (install_client(CLIENTS["codex"]),)


def prepare(home: Path, project: Path, url: str) -> Mapping[str, str]:
    config = home / ".codex" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(_CONFIG.format(url=url, project=project), encoding="utf-8")
    return {"SCRIPTED_KEY": "none"}


def trust_hooks(file: Path) -> str:
    """The lines of `config.toml` that Codex writes when the user trusts all hooks of the file."""
    lines = []
    for event, groups in json.loads(file.read_text(encoding="utf-8"))["hooks"].items():
        label = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        for at, group in enumerate(groups):
            for index, hook in enumerate(group["hooks"]):
                lines.append(f'[hooks.state."{file}:{label}:{at}:{index}"]')
                lines.append(f'trusted_hash = "{compute_hash(event, group, hook)}"')
    return "\n".join(lines) + "\n"


class Terminal:
    """The client on a screen that the user types at; the first keys wait for its greeting."""

    def __init__(self, machine: "ClientMachine", variables: Mapping[str, str]) -> None:
        self._environ = {**machine.environment, **variables}
        self._socket = str(machine.home / "tmux")
        # Without its server in the background, which would outlive the test.
        program = shlex.join([*find_program(), "--no-daemon", "--dangerously-bypass-hook-trust"])
        size = ("-x", "150", "-y", "45")
        folder = str(machine.project)
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, "-c", folder, program)

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)
        self.wait_for(text[:20])
        # Keys that follow each other at once are pasted text to the client, Enter included.
        time.sleep(1)
        self._tmux("send-keys", "Enter")

    def wait_for(self, text: str, *, seconds: float = 40) -> None:
        end = time.monotonic() + seconds
        while text not in self._tmux("capture-pane", "-p", "-J"):
            assert time.monotonic() < end, self._tmux("capture-pane", "-p")
            time.sleep(0.2)

    def close(self) -> None:
        self._tmux("kill-server")

    def _tmux(self, *arguments: str) -> str:
        argv = ["tmux", "-S", self._socket, *arguments]
        done = subprocess.run(
            argv, env=self._environ, capture_output=True, text=True, timeout=20, check=False
        )
        return done.stdout


@contextmanager
def open_terminal(machine: "ClientMachine", variables: Mapping[str, str]) -> Iterator[Terminal]:
    terminal = Terminal(machine, variables)
    try:
        yield terminal
    finally:
        terminal.close()


def build_arguments(prompt: str, session: str) -> Sequence[str]:
    resume = ("resume", session) if session else ()
    # As if the user had trusted our hooks by `/hooks`.
    return ("exec", "--json", "--dangerously-bypass-hook-trust", *resume, prompt)


def find_session(output: str) -> str:
    found = re.search(r'\{"type":"thread.started".*\}', output)
    return str(json.loads(found[0])["thread_id"]) if found else ""


def shell(command: str) -> Step:
    return (Call("exec_command", {"cmd": command}),)
