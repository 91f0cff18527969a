"""The language servers of one project, kept warm for the next question."""

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

# Who fails that often is not started again in the life of this process.
MOST_FAILURES = 3
MOST_FILES = 50
# Of the time somebody waits, what the way back may take.
_WAY_BACK = 0.05
_TICK = 1.0


class _Kept:
    """One server, started when it is wanted, and again after a failure, but not for ever."""

    def __init__(
        self, choice: SelectedServer, project: Path, *, limits: ServerLimits | None
    ) -> None:
        self._choice = choice
        self._project = project
        self._limits = limits
        self._client: Client | None = None
        self._failures = 0

    def diagnose(
        self, files: Sequence[Path], *, deadline: float, texts: Mapping[Path, str]
    ) -> ServerAnswer:
        failure = self._client.failure if self._client else ""
        self._failures += bool(failure)
        if self._failures >= MOST_FAILURES:
            return ServerAnswer(
                reasons=(f"`{self._choice.server.name}` is left alone: it {failure}",)
            )
        if self._client is None or failure:
            self._client = Client(self._choice, self._project, limits=self._limits)
        return self._client.diagnose(files, deadline=deadline, texts=texts)

    def tell(self, changes: Sequence[tuple[Path, int]]) -> None:
        if self._client and not self._client.failure:
            self._client.tell(changes)

    def check(self) -> None:
        if self._client and not self._client.failure:
            self._client.check()

    def close(self) -> None:
        if self._client:
            self._client.close()


class ServerPool:
    """One question at a time; `path` and `own` say where programs are looked for."""

    def __init__(
        self,
        project: Path,
        *,
        path: str,
        own: bool = True,
        limits: ServerLimits | None = None,
        servers: Sequence[Server] = SERVERS,
    ) -> None:
        self._project = project
        self._choose = partial(select_servers, project, path=path, own=own, servers=servers)
        self._limits = limits
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._watch = Watch(project)

    def diagnose(
        self, files: Sequence[Path], *, seconds: float, texts: Mapping[Path, str] | None = None
    ) -> DiagnosticsReport:
        """What is known of the files within the seconds; the rest goes on being found out."""
        began = time.monotonic()
        deadline = began + min(seconds, daemon_socket.LONGEST_WAIT) - _WAY_BACK
        changes = self._watch.changes()
        for kept in self._kept.values():
            kept.tell(changes)
        unique = tuple(dict.fromkeys(files))
        answers = self._asked(unique[:MOST_FILES], deadline, texts or {})
        reasons = [reason for answer in answers.values() for reason in answer.reasons]
        if len(unique) > MOST_FILES:
            reasons.append(f"{len(unique) - MOST_FILES} files are left out")
        return DiagnosticsReport(
            files=self._reports(unique, answers),
            reasons=tuple(reasons),
            seconds=round(time.monotonic() - began, 3),
        )

    def check(self) -> None:
        """Between questions: ends servers that break the rules."""
        for kept in self._kept.values():
            kept.check()

    def close(self) -> None:
        with ThreadPoolExecutor() as pool:
            list(pool.map(_Kept.close, self._kept.values()))

    def _asked(
        self, files: Sequence[Path], deadline: float, texts: Mapping[Path, str]
    ) -> dict[str, ServerAnswer]:
        """By server, each with its own files, all at once."""
        wanted: dict[tuple[str, str], list[Path]] = defaultdict(list)
        choices = {suffix: self._choose(suffix) for suffix in {file.suffix for file in files}}
        for file in files:
            for choice in choices[file.suffix]:
                key = (choice.server.name, choice.program)
                wanted[key].append(file)
                if key not in self._kept:
                    self._kept[key] = _Kept(choice, self._project, limits=self._limits)
        with ThreadPoolExecutor() as pool:
            asked = {
                name: pool.submit(
                    self._kept[name, program].diagnose, its, deadline=deadline, texts=texts
                )
                for (name, program), its in wanted.items()
            }
            return {name: future.result() for name, future in asked.items()}

    def _reports(
        self, files: Sequence[Path], answers: Mapping[str, ServerAnswer]
    ) -> tuple[FileReport, ...]:
        reports = []
        for file in files:
            said = {name: its.found[file] for name, its in answers.items() if file in its.found}
            findings = chain.from_iterable(
                make_findings(name, found) for name, found in said.items()
            )
            if said:
                reports.append(
                    FileReport(path=str(file), servers=tuple(said), findings=tuple(findings))
                )
        return tuple(reports)


def serve_pool(
    listener: socket.socket,
    warm: ServerPool,
    *,
    token: str,
    idle: float,
    wanted: Callable[[], bool],
) -> None:
    """Until nobody has asked for `idle` seconds, or it is no longer `wanted`."""

    def report(request: DiagnosticsRequest) -> DiagnosticsReport:
        files = [Path(file) for file in request.files]
        texts = {Path(file): text for file, text in request.texts.items()}
        return warm.diagnose(files, seconds=request.seconds, texts=texts)

    listener.settimeout(_TICK)
    last = time.monotonic()
    while wanted() and time.monotonic() - last < idle:
        try:
            line, _ = listener.accept()
        except TimeoutError:
            warm.check()
            continue
        if daemon_socket.serve_connection(line, token=token, report=report):
            last = time.monotonic()
