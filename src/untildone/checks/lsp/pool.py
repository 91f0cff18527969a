"""The running language servers of one project, and the loop that answers requests."""

import socket
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path

from untildone.checks.findings import make_findings
from untildone.checks.lsp import daemon_socket
from untildone.checks.lsp.client import Client, ServerAnswer
from untildone.checks.lsp.connection import ServerLimits
from untildone.checks.lsp.daemon_socket import DiagnosticsReport, DiagnosticsRequest, FileReport
from untildone.checks.lsp.servers import SERVERS, SelectedServer, Server, select_servers
from untildone.checks.lsp.watch import Watch

# A server that fails this often is not started again.
MOST_FAILURES = 3
MOST_FILES = 50
# The part of the waiting time that is left for sending the answer.
_REPLY_SECONDS = 0.05
_POLL_SECONDS = 1.0


class _PooledServer:
    """A server that is started on demand, and again after a failure, but not forever."""

    def __init__(
        self, selected: SelectedServer, project: Path, *, limits: ServerLimits | None
    ) -> None:
        self._selected = selected
        self._project = project
        self._limits = limits
        self.client: Client | None = None
        self._failures = 0

    def diagnose(
        self, files: Sequence[Path], *, deadline: float, texts: Mapping[Path, str]
    ) -> ServerAnswer:
        failure = self.client.failure if self.client else ""
        self._failures += bool(failure)
        if self._failures >= MOST_FAILURES:
            return ServerAnswer(
                reasons=(f"`{self._selected.server.name}` is not started again: it {failure}",)
            )
        if self.client is None or failure:
            self.client = Client(self._selected, self._project, limits=self._limits)
        return self.client.diagnose(files, deadline=deadline, texts=texts)


class ServerPool:
    """The servers of a project; `path` and `allow_own` say where their programs are searched."""

    def __init__(
        self,
        project: Path,
        *,
        path: str,
        allow_own: bool = True,
        limits: ServerLimits | None = None,
        servers: Sequence[Server] = SERVERS,
    ) -> None:
        self._project = project
        self._select = partial(
            select_servers, project, path=path, allow_own=allow_own, servers=servers
        )
        self._limits = limits
        self._pooled: dict[tuple[str, str], _PooledServer] = {}
        self._watch = Watch(project)

    def diagnose(
        self, files: Sequence[Path], *, seconds: float, texts: Mapping[Path, str] | None = None
    ) -> DiagnosticsReport:
        """Return the findings that are known in time; the servers continue to work afterwards."""
        began = time.monotonic()
        deadline = began + min(seconds, daemon_socket.LONGEST_WAIT) - _REPLY_SECONDS
        changes = self._watch.find_changes()
        for client in self._list_clients():
            client.note_changes(changes)
        unique = tuple(dict.fromkeys(files))
        answers = self._ask_servers(unique[:MOST_FILES], deadline, texts or {})
        reasons = [reason for answer in answers.values() for reason in answer.reasons]
        if len(unique) > MOST_FILES:
            reasons.append(f"{len(unique) - MOST_FILES} files are left out")
        return DiagnosticsReport(
            files=self._make_reports(unique, answers),
            reasons=tuple(reasons),
            seconds=round(time.monotonic() - began, 3),
        )

    def check(self) -> None:
        """End servers that exceed their limits between two questions."""
        for client in self._list_clients():
            client.check()

    def close(self) -> None:
        with ThreadPoolExecutor() as pool:
            list(pool.map(Client.close, self._list_clients()))

    def _list_clients(self) -> list[Client]:
        return [server.client for server in self._pooled.values() if server.client]

    def _ask_servers(
        self, files: Sequence[Path], deadline: float, texts: Mapping[Path, str]
    ) -> dict[str, ServerAnswer]:
        """Return the answers by server; all servers work in parallel, each on its own files."""
        assigned: dict[tuple[str, str], list[Path]] = defaultdict(list)
        selections = {suffix: self._select(suffix) for suffix in {file.suffix for file in files}}
        for file in files:
            for selected in selections[file.suffix]:
                key = (selected.server.name, selected.program)
                assigned[key].append(file)
                if key not in self._pooled:
                    self._pooled[key] = _PooledServer(selected, self._project, limits=self._limits)
        with ThreadPoolExecutor() as pool:
            futures = {
                name: pool.submit(
                    self._pooled[name, program].diagnose,
                    batch,
                    deadline=deadline,
                    texts=texts,
                )
                for (name, program), batch in assigned.items()
            }
            return {name: future.result() for name, future in futures.items()}

    def _make_reports(
        self, files: Sequence[Path], answers: Mapping[str, ServerAnswer]
    ) -> tuple[FileReport, ...]:
        reports = []
        for file in files:
            found = {
                name: answer.found[file] for name, answer in answers.items() if file in answer.found
            }
            findings = chain.from_iterable(
                make_findings(name, diagnostics) for name, diagnostics in found.items()
            )
            if found:
                reports.append(
                    FileReport(path=str(file), servers=tuple(found), findings=tuple(findings))
                )
        return tuple(reports)


def serve_pool(
    listener: socket.socket,
    pool: ServerPool,
    *,
    token: str,
    idle: float,
    is_wanted: Callable[[], bool],
) -> None:
    """Answer requests until none came for `idle` seconds, or the daemon is not wanted."""

    def report(request: DiagnosticsRequest) -> DiagnosticsReport:
        files = [Path(file) for file in request.files]
        texts = {Path(file): text for file, text in request.texts.items()}
        return pool.diagnose(files, seconds=request.seconds, texts=texts)

    listener.settimeout(_POLL_SECONDS)
    last_request = time.monotonic()
    while is_wanted() and time.monotonic() - last_request < idle:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            pool.check()
            continue
        if daemon_socket.serve_connection(connection, token=token, report=report):
            last_request = time.monotonic()
