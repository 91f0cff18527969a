"""The real Codex, offline."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING

from clients.server import Step
from clients.terminal import Terminal
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


def open_terminal(
    machine: "ClientMachine", variables: Mapping[str, str]
) -> AbstractContextManager[Terminal]:
    # Without its server in the background, which would outlive the test.
    program = (*find_program(), "--no-daemon", "--dangerously-bypass-hook-trust")
    return closing(Terminal(machine, program, variables))


def build_arguments(prompt: str, session: str) -> Sequence[str]:
    resume = ("resume", session) if session else ()
    # As if the user had trusted our hooks by `/hooks`.
    return ("exec", "--json", "--dangerously-bypass-hook-trust", *resume, prompt)


def find_session(output: str) -> str:
    found = re.search(r'\{"type":"thread.started".*\}', output)
    return str(json.loads(found[0])["thread_id"]) if found else ""


def shell(command: str) -> Step:
    return (Call("exec_command", {"cmd": command}),)
