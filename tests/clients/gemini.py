"""The real Gemini CLI, offline."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from clients.server import Step
from clients.settings import set_values
from clients.wire import Call
from tools import CLIENTS, install_client

NAME = "gemini"


def find_program() -> Sequence[str]:
    return (install_client(CLIENTS["gemini"]),)


def prepare(home: Path, project: Path, url: str) -> Mapping[str, str]:
    folder = home / ".gemini"
    set_values(
        folder / "settings.json",
        security={"auth": {"selectedType": "gemini-api-key"}},
        general={"maxAttempts": 1},
    )
    trust = json.dumps({str(project): "TRUST_FOLDER"})
    (folder / "trustedFolders.json").write_text(trust, encoding="utf-8")
    return {
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_NO_RELAUNCH": "true",
    }


def build_arguments(prompt: str, session: str) -> Sequence[str]:
    resume = ("--resume", session) if session else ()
    options = ("--model", "gemini-2.5-flash", "--yolo", "--output-format", "stream-json")
    return (*options, *resume, "--prompt", prompt)


def find_session(output: str) -> str:
    found = re.search(r'\{"type":"init".*\}', output)
    return str(json.loads(found[0])["session_id"]) if found else ""


def shell(command: str) -> Step:
    return (Call("run_shell_command", {"command": command}),)
