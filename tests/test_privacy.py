"""Nothing is sent anywhere: which modules can speak to a network at all, and why."""

import ast
from pathlib import Path

import untildone

ROOT = Path(untildone.__file__).parent
NETWORK = frozenset(
    (
        *(
            "aiohttp",
            "apprise",
            "asyncio.streams",
            "dbos",
            "ftplib",
            "http.client",
            "httpx",
            "requests",
        ),
        *("smtplib", "socket", "socketserver", "telnetlib", "urllib.request", "xmlrpc"),
        "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    )
)
SPEAKING = {
    # Local sockets, to the process that keeps language servers running.
    "checks/lsp/daemon_socket.py",
    "checks/lsp/pool.py",
    # The path of a `file:` address.
    "checks/lsp/documents.py",
    # Switches on the loopback interface inside of a sandbox.
    "sandbox/namespaces.py",
    # A plan's criterion about an address of this machine.
    "features/plans/probe.py",
    # The live page, for browsers on this machine.
    "web/server.py",
    # The user's own `notify` addresses.
    "features/milestones/notify.py",
    # The database of the queue, a file unless the user names a server.
    "runs/queue/database.py",
    "runs/queue/workflows.py",
    # The user's own collector, if `[otel]` of their settings names one.
    "features/telemetry/otlp.py",
}


def list_imports(path: Path) -> set[str]:
    imports: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imports |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imports |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return imports


def test_only_these_modules_can_speak_to_a_network() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if list_imports(path) & NETWORK
    }

    assert found == SPEAKING
