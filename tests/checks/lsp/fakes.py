"""Fake language servers, and functions to start and ask them."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from untildone.checks.lsp.client import Client, ServerAnswer
from untildone.checks.lsp.connection import ServerLimits
from untildone.checks.lsp.servers import SelectedServer, Server

PROGRAM = Path(__file__).with_name("fake_server.py")
PATIENCE = 20.0
LIMITS = ServerLimits(quiet_seconds=0.2)


def server(mode: str, *arguments: str) -> Server:
    return Server(
        name="fake",
        program=sys.executable,
        arguments=("-I", "-S", str(PROGRAM), mode, *arguments),
        languages={".txt": "plain"},
        role="lint",
        code_prefix="F",
    )


@contextmanager
def start_client(
    mode: str, project: Path, *arguments: str, limits: ServerLimits = LIMITS
) -> Iterator[Client]:
    choice = SelectedServer(server=server(mode, *arguments), program=sys.executable)
    client = Client(choice, project, limits=limits)
    try:
        yield client
    finally:
        client.close()


def diagnose(client: Client, *files: Path, seconds: float = PATIENCE) -> ServerAnswer:
    return client.diagnose(files, deadline=time.monotonic() + seconds)


def texts(answer: ServerAnswer) -> dict[str, list[str]]:
    return {path.name: [one.text for one in found] for path, found in answer.found.items()}


def write_file(project: Path, name: str, text: str) -> Path:
    path = project / name
    path.write_text(text, encoding="utf-8")
    return path
