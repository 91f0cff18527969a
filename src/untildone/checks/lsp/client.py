"""A client of one language server: sends it files and collects its diagnostics."""

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from untildone.checks.findings import Diagnostic
from untildone.checks.lsp import messages
from untildone.checks.lsp.connection import Connection, ServerLimits
from untildone.checks.lsp.documents import Documents, UnreadableFileError
from untildone.checks.lsp.messages import Incoming, ProtocolError
from untildone.checks.lsp.pushed_diagnostics import FileDiagnostics, PushedDiagnostics
from untildone.checks.lsp.server_requests import answer_request, make_introduction
from untildone.checks.lsp.servers import SelectedServer

_SHUTDOWN_SECONDS = 1.0
_RETRY_SECONDS = 0.1
# ServerCancelled and ContentModified: the specification says to ask again.
_RETRY_CODES = (-32802, -32801)


class ServerAnswer(Struct, frozen=True, kw_only=True):
    """Diagnostics by file; `reasons` explain why a file has none, or not all."""

    found: dict[Path, tuple[Diagnostic, ...]] = {}
    reasons: tuple[str, ...] = ()


class Client:
    """A language server of a project; it handles one `diagnose` at a time."""

    def __init__(
        self, selected: SelectedServer, project: Path, *, limits: ServerLimits | None = None
    ) -> None:
        self._server = selected.server
        self._project = project
        self._limits = limits or ServerLimits()
        self._documents = Documents(selected.server)
        self._pushed = PushedDiagnostics(self._documents, most=self._limits.diagnostics)
        self._file_changes: dict[str, int] = {}
        # When the first question began for which the server has not pushed anything.
        self._waiting_since = 0.0
        self._ready = False
        # Whether the server wants to be asked for diagnostics instead of pushing them.
        self._pulls = False
        self._connection = Connection(
            selected.argv, project, limits=self._limits, on_message=self._handle
        )
        self._connection.request("initialize", make_introduction(project), then=self._initialize)

    @property
    def failure(self) -> str:
        """Return why the server can no longer answer; "" while it can."""
        return self._connection.failure

    def note_changes(self, changes: Iterable[tuple[Path, int]]) -> None:
        """Note changed files with their FileChangeType, for the next `diagnose`."""
        self._file_changes |= {path.as_uri(): kind for path, kind in changes}

    def diagnose(
        self, files: Sequence[Path], *, deadline: float, texts: Mapping[Path, str] | None = None
    ) -> ServerAnswer:
        """Return the diagnostics of the files; `texts` replaces the content of some of them."""
        self._connection.begin_question()
        if not self._connection.wait(lambda: self._ready, deadline=deadline):
            return self._answer_nothing("is still starting")
        sent, reasons = self._update_documents(files, texts or {})
        found = {} if self._pulls else self._await_pushed(sent, deadline)
        if self._pulls:
            found = self._pull_all(sent, deadline)
        return self._answer_nothing("") if self.failure else self._answer(sent, found, reasons)

    def check(self) -> None:
        if not self.failure:
            self._connection.check()

    def close(self) -> None:
        """Ask a server that has started to shut down, then end it."""
        if self._ready and not self.failure:
            answers: list[Incoming] = []
            self._connection.request("shutdown", None, then=answers.append)
            deadline = time.monotonic() + _SHUTDOWN_SECONDS
            self._connection.wait(lambda: bool(answers), deadline=deadline)
            self._connection.send(messages.encode(method="exit", params=None))
        self._connection.close()

    def _initialize(self, answer: Incoming) -> None:
        if answer.error:
            reason = messages.shorten_message(answer.error.message)
            raise ProtocolError(f"refused to start: {reason}")
        self._pulls = messages.decode(answer.result, messages.InitializeResult).pulls
        self._ready = True
        self._connection.send(messages.encode(method="initialized", params={}))

    def _update_documents(
        self, files: Sequence[Path], texts: Mapping[Path, str]
    ) -> tuple[list[Path], list[str]]:
        """Return the files that the server now has as they are, and why it lacks the others."""
        sent: list[Path] = []
        reasons: list[str] = []
        with self._connection.changed:
            self._send_file_changes()
            self._send_all(self._documents.refresh())
            for path in files:
                try:
                    self._send_all(self._documents.update(path, texts.get(path)))
                    sent.append(path)
                except UnreadableFileError as reason:
                    reasons.append(f"`{self._shorten(path)}` {reason}")
            self._pushed.forget_closed()
        return sent, reasons

    def _send_file_changes(self) -> None:
        if self._file_changes:
            changes = [{"uri": uri, "type": kind} for uri, kind in self._file_changes.items()]
            method = "workspace/didChangeWatchedFiles"
            self._connection.send(messages.encode(method=method, params={"changes": changes}))
            self._file_changes = {}

    def _send_all(self, encoded: Iterable[bytes]) -> None:
        for message in encoded:
            self._connection.send(message)

    def _pull_all(self, files: Sequence[Path], deadline: float) -> dict[Path, FileDiagnostics]:
        found: dict[Path, FileDiagnostics] = {}
        remaining = list(files)
        while remaining:
            answers = self._pull(remaining, deadline)
            found |= {
                path: entry for path, entry in answers.items() if isinstance(entry, FileDiagnostics)
            }
            remaining = [path for path, code in answers.items() if code in _RETRY_CODES]
            if remaining and not self._pause(deadline):
                break
        return found

    def _pause(self, deadline: float) -> bool:
        """Wait before the next attempt and say whether time is left for it."""
        until = min(time.monotonic() + _RETRY_SECONDS, deadline)
        self._connection.wait(lambda: False, deadline=until)
        return until < deadline and not self.failure

    def _pull(self, files: Sequence[Path], deadline: float) -> dict[Path, FileDiagnostics | int]:
        """Return the diagnostics, or the code of the error, of each file that got an answer."""
        answers: dict[Path, FileDiagnostics | int] = {}

        def receive(path: Path, answer: Incoming) -> None:
            if answer.error:
                answers[path] = answer.error.code
            else:
                items = messages.decode(answer.result, messages.PulledDiagnostics).items
                answers[path] = FileDiagnostics(items[: self._limits.diagnostics], len(items))

        for path in files:
            document = {"textDocument": {"uri": path.as_uri()}}
            self._connection.request(
                "textDocument/diagnostic", document, then=partial(receive, path)
            )
        self._connection.wait(lambda: len(answers) == len(files), deadline=deadline)
        with self._connection.changed:
            return dict(answers)

    def _await_pushed(self, files: Sequence[Path], deadline: float) -> dict[Path, FileDiagnostics]:
        """Wait until the server is quiet, since it may push diagnostics several times."""
        began = time.monotonic()
        select = partial(
            self._pushed.select_settled, files, since=began, quiet=self._limits.quiet_seconds
        )
        # Some servers announce only after their start that they want to be asked.
        self._connection.wait(lambda: self._pulls or select() is not None, deadline=deadline)
        with self._connection.changed:
            settled = select()
            if settled is not None:
                return settled
            self._waiting_since = self._waiting_since or began
            self._connection.expect_since(self._waiting_since)
        return {}

    def _handle(self, message: Incoming) -> bytes | None:
        match message.method:
            case "textDocument/publishDiagnostics":
                published = messages.decode(message.params, messages.PublishedDiagnostics)
                if self._pushed.store(published):
                    self._waiting_since = 0.0
            case "$/progress":
                progress = messages.decode(message.params, messages.ProgressNotification)
                self._pushed.store_progress(progress)
            case "client/registerCapability":
                registered = messages.decode(message.params, messages.RegisteredCapabilities)
                self._pulls = self._pulls or "textDocument/diagnostic" in registered.methods
            case _:
                pass
        return None if message.id is None else answer_request(message, self._project)

    def _answer(
        self, files: Sequence[Path], found: Mapping[Path, FileDiagnostics], reasons: list[str]
    ) -> ServerAnswer:
        server, limit = self._server, self._limits.diagnostics
        converted: dict[Path, tuple[Diagnostic, ...]] = {}
        for path in files:
            shown_path = self._shorten(path)
            if path not in found:
                reasons.append(f"`{server.name}` is not ready with `{shown_path}`")
                continue
            if (total := found[path].total) > limit:
                reasons.append(
                    f"`{server.name}` said {total} things about `{shown_path}`, {limit} count"
                )
            converted[path] = messages.make_diagnostics(
                shown_path, found[path].diagnostics, prefix=server.code_prefix, rate=server.severity
            )
        return ServerAnswer(found=converted, reasons=tuple(reasons))

    def _shorten(self, path: Path) -> str:
        """Return the path relative to the project if it is inside."""
        is_inside = path.is_relative_to(self._project)
        return path.relative_to(self._project).as_posix() if is_inside else str(path)

    def _answer_nothing(self, reason: str) -> ServerAnswer:
        return ServerAnswer(reasons=(f"`{self._server.name}` {self.failure or reason}",))
