"""The real Qwen Code, offline."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from clients.server import Step
from clients.settings import set_values
from clients.wire import Call
from tools import CLIENTS, install_client

NAME = "qwen"


def find_program() -> Sequence[str]:
    return (install_client(CLIENTS["node"]), install_client(CLIENTS["qwen"]))


def prepare(home: Path, project: Path, url: str) -> Mapping[str, str]:
    del project
    set_values(
        home / ".qwen" / "settings.json",
        security={"auth": {"selectedType": "openai"}},
        model={"generationConfig": {"maxRetries": 0}},
        # It would ask the model for more after each turn.
        memory={"enableManagedAutoMemory": False},
    )
    return {
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_MODEL": "scripted",
        "QWEN_CODE_NO_RELAUNCH": "true",
    }


def build_arguments(prompt: str, session: str) -> Sequence[str]:
    resume = ("--resume", session) if session else ()
    return ("--yolo", "--output-format", "stream-json", *resume, "--prompt", prompt)


def find_session(output: str) -> str:
    found = re.search(r'\{"type":"system","subtype":"init".*\}', output)
    return str(json.loads(found[0])["session_id"]) if found else ""


def shell(command: str) -> Step:
    return (Call("run_shell_command", {"command": command, "is_background": False}),)
