"""The real opencode, offline, as the server that its terminal and desktop programs talk to."""

import json
import re
import subprocess
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from clients.acp import prepare_opencode
from clients.server import Step
from clients.wire import Call
from tools import CLIENTS, install_client

_SECONDS = 60


def find_program() -> str:
    return install_client(CLIENTS["opencode"])


def shell(command: str) -> Step:
    return (Call("bash", {"command": command, "description": "a command"}),)


def ask_subagent(prompt: str) -> Step:
    inputs = {"description": "a task", "prompt": prompt, "subagent_type": "general"}
    return (Call("task", inputs),)


class OpencodeServer:
    """`opencode serve` in a project, ended with everything at the end of the context."""

    def __init__(self, home: Path, project: Path, url: str, env: Mapping[str, str]) -> None:
        variables = prepare_opencode(home, project, url)
        self._log = home / "opencode.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [find_program(), "serve", "--port", "0"],
                cwd=project,
                env={**env, **variables},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def __enter__(self) -> Self:
        end = time.monotonic() + _SECONDS
        while not (found := re.search(r"http://[\d.]+:\d+", self._log.read_text("utf-8"))):
            assert time.monotonic() < end, self._log.read_text("utf-8")
            time.sleep(0.1)
        self._url = found[0]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait(_SECONDS)

    def begin(self) -> str:
        return str(self._post("/session", {})["id"])

    def prompt(self, session: str, text: str) -> None:
        """One turn; what our plugin sends after it is a turn of its own."""
        self._post(f"/session/{session}/message", {"parts": [{"type": "text", "text": text}]})

    def abort(self, session: str) -> None:
        """What Esc does."""
        self._post(f"/session/{session}/abort", {})

    def compact(self, session: str) -> None:
        """What `/compact` does."""
        model = {"providerID": "scripted", "modelID": "scripted"}
        self._post(f"/session/{session}/summarize", model)

    def command(self, session: str, name: str, arguments: str) -> None:
        """One turn that a command of the client begins."""
        self._post(f"/session/{session}/command", {"command": name, "arguments": arguments})

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(  # noqa: S310  a server on this machine
            f"{self._url}{path}",
            data=json.dumps(body).encode(),
            headers={"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=2 * _SECONDS) as response:  # noqa: S310  as above
            value = json.loads(response.read() or b"{}")
            return dict(value) if isinstance(value, dict) else {}
