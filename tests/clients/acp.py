"""The real agents that speak the Agent Client Protocol, offline."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

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
    auth = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    _write(home / ".gemini" / "settings.json", auth)
    _write(home / ".gemini" / "trustedFolders.json", {str(project): "TRUST_FOLDER"})
    return {
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_MODEL": "gemini-2.5-flash",
        "GEMINI_CLI_NO_RELAUNCH": "true",
    }


def _prepare_qwen(home: Path, _project: Path, url: str) -> Mapping[str, str]:
    auth = {"security": {"auth": {"selectedType": "openai"}}}
    # Its own notes would take a step of the script.
    memory = {"memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False}}
    _write(home / ".qwen" / "settings.json", {**auth, **memory})
    return {
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_MODEL": "scripted",
        "QWEN_CODE_NO_RELAUNCH": "true",
    }


def _prepare_copilot(_home: Path, _project: Path, url: str) -> Mapping[str, str]:
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "gpt-4.1",
        "COPILOT_AUTO_UPDATE": "false",
    }


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
    return _OPENCODE


def find_client(name: str) -> AcpClient:
    """The agent by its name, installed where it is missing."""
    program = install_client(CLIENTS[name])
    match name:
        case "gemini":
            return AcpClient(f"{program} --acp", _prepare_gemini, "run_shell_command")
        case "qwen":
            node = install_client(CLIENTS["node"])
            return AcpClient(f"{node} {program} --acp", _prepare_qwen, "run_shell_command")
        case "copilot":
            return AcpClient(f"{program} --acp", _prepare_copilot, "bash")
        case _:
            return AcpClient(f"{program} acp", prepare_opencode, "bash")


NAMES = ("gemini", "qwen", "copilot", "opencode")
