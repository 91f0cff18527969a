"""The real GitHub Copilot CLI, offline with a provider of the user's own."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from clients.server import Step
from clients.wire import Call
from tools import CLIENTS, install_client

NAME = "copilot"


def find_program() -> Sequence[str]:
    return (install_client(CLIENTS["copilot"]),)


def prepare(home: Path, project: Path, url: str) -> Mapping[str, str]:
    del home, project
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_MODEL": "gpt-4.1",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
        # It unpacks 200 MB of itself, else into each home of a test.
        "COPILOT_PKG_CACHE_HOME": str(CLIENTS["copilot"].folder / "unpacked"),
    }


def build_arguments(prompt: str, session: str) -> Sequence[str]:
    resume = (f"--resume={session}",) if session else ()
    options = ("--allow-all-tools", "--output-format", "json", "--disable-client-telemetry")
    return (*options, *resume, "-p", prompt)


def find_session(output: str) -> str:
    found = re.search(r'^\{"type":"result".*\}$', output, re.MULTILINE)
    return str(json.loads(found[0])["sessionId"]) if found else ""


def shell(command: str) -> Step:
    return (Call("bash", {"command": command, "description": "a step"}),)
