"""The real agents that speak the Agent Client Protocol, offline."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from clients import copilot, gemini, qwen
from clients.server import Step
from clients.wire import Call
from tools import CLIENTS, install_client

_OPENCODE = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
}


class AcpClient(NamedTuple):
    """`prepare` writes its settings and returns its variables, from home, project and address."""

    command: str
    prepare: Callable[[Path, Path, str], Mapping[str, str]]
    tool: str

    def shell(self, command: str) -> Step:
        return (Call(self.tool, {"command": command, "description": "make the file"}),)


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def _prepare_gemini(home: Path, project: Path, url: str) -> Mapping[str, str]:
    return {**gemini.prepare(home, project, url), "GEMINI_MODEL": "gemini-2.5-flash"}


def prepare_opencode(home: Path, _project: Path, url: str) -> Mapping[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        # In USD per million tokens: 0.2 for each answer of the model.
        "models": {"scripted": {"name": "scripted", "cost": {"input": 10_000, "output": 20_000}}},
    }
    settings = {
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "autoupdate": False,
        "share": "disabled",
        "provider": {"scripted": provider},
    }
    _write(home / ".config" / "opencode" / "opencode.json", settings)
    pretend_dependencies(home / ".config" / "opencode")
    return _OPENCODE


def pretend_dependencies(folder: Path) -> None:
    """Keep opencode from fetching its plugin's types, which our plugin does not import."""
    (folder / "node_modules").mkdir(exist_ok=True)
    needs = {"dependencies": {"@opencode-ai/plugin": "*"}}
    _write(folder / "package.json", needs)
    _write(folder / "package-lock.json", {"packages": {"": needs}})


def find_client(name: str) -> AcpClient:
    """The agent by its name, installed where it is missing."""
    program = install_client(CLIENTS[name])
    match name:
        case "gemini":
            return AcpClient(f"{program} --acp", _prepare_gemini, "run_shell_command")
        case "qwen":
            node = install_client(CLIENTS["node"])
            return AcpClient(f"{node} {program} --acp", qwen.prepare, "run_shell_command")
        case "copilot":
            return AcpClient(f"{program} --acp", copilot.prepare, "bash")
        case _:
            return AcpClient(f"{program} acp", prepare_opencode, "bash")


NAMES = ("gemini", "qwen", "copilot", "opencode")
