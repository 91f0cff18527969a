"""A client of one language server: sends it files and collects its diagnostics."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.findings import Diagnostic
from untildone.checks.lsp import messages
from untildone.checks.lsp.connection import Connection, ServerLimits
from untildone.checks.lsp.documents import Documents, UnreadableFileError, parse_file_uri
from untildone.checks.lsp.messages import (
    ConfigurationRequest,
    Incoming,
    ProgressNotification,
    ProtocolError,
    PublishedDiagnostics,
    PulledDiagnostics,
    RegisteredCapabilities,
    ServerDiagnostic,
    make_diagnostics,
    shorten_message,
)
from untildone.checks.lsp.servers import SelectedServer, make_settings

_SHUTDOWN_SECONDS = 1.0
# Progress that a server begins and never ends is ignored after this time.
_PROGRESS_SECONDS = 30.0
_MOST_PROGRESS = 100
_RETRY_SECONDS = 0.1
# ServerCancelled and ContentModified: the specification says to ask again.
_RETRY_CODES = (-32802, -32801)
_ACKNOWLEDGED = (
    "client/registerCapability",
    "client/unregisterCapability",
    "window/workDoneProgress/create",
    "window/showMessageRequest",
    "workspace/diagnostic/refresh",
)
CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "diagnostics": {"refreshSupport": True},
    },
    "window": {"workDoneProgress": True},
    "textDocument": {
        "synchronization": {},
        "publishDiagnostics": {"versionSupport": True},
        "diagnostic": {"dynamicRegistration": True},
    },
}


class ServerAnswer(Struct, frozen=True, kw_only=True):
    """Diagnostics by file; `reasons` explain why a file has none, or not all."""

    found: dict[Path, tuple[Diagnostic, ...]] = {}
    reasons: tuple[str, ...] = ()


class _FileDiagnostics(Struct, frozen=True):
    """Diagnostics for one version of a document; `total` counts also those cut off."""

    version: int
    diagnostics: list[ServerDiagnostic]
    total: int
    at: float = 0


class Client:
    """Handles one `diagnose` at a time."""

    def __init__(
        self, selected: SelectedServer, project: Path, *, limits: ServerLimits | None = None
    ) -> None:
        self._server = selected.server
        self._project = project
        self._limits = limits or ServerLimits()
        self._documents = Documents(selected.server)
        self._pushed: dict[Path, _FileDiagnostics] = {}
        # The start of each progress that the server has not ended.
        self._progress: dict[int | str, float] = {}
        self._file_changes: dict[str, int] = {}
        # When the first question began for which the server has not pushed anything.
        self._waiting_since = 0.0
        self._ready = False
        self._pulls = False
        self._connection = Connection(
            selected.argv, project, limits=self._limits, on_message=self._handle
        )
        self._connection.request("initialize", self._make_introduction(), then=self._initialize)

    @property
    def failure(self) -> str:
        """Why the server can no longer answer; "" while it can."""
        return self._connection.failure

    def note_changes(self, changes: Iterable[tuple[Path, int]]) -> None:
        """Notes changed files with their FileChangeType, for the next `diagnose`."""
        self._file_changes |= {path.as_uri(): kind for path, kind in changes}

    def diagnose(
        self, files: Sequence[Path], *, deadline: float, texts: Mapping[Path, str] | None = None
    ) -> ServerAnswer:
        """The diagnostics of the files; `texts` replaces the content of some of them."""
        self._connection.begin_question()
        if not self._connection.wait(lambda: self._ready, deadline=deadline):
            return self._answer_nothing("is still starting")
        known, reasons = self._update_documents(files, texts or {})
        found = {} if self._pulls else self._await_pushed(known, deadline)
        if self._pulls:
            found = self._pull_all(known, deadline)
        return self._answer_nothing("") if self.failure else self._answer(known, found, reasons)

    def check(self) -> None:
        self._connection.check()

    def close(self) -> None:
        """Asks a server that has started to shut down, then ends it."""
        if self._ready and not self.failure:
            answers: list[Incoming] = []
            self._connection.request("shutdown", None, then=answers.append)
            deadline = time.monotonic() + _SHUTDOWN_SECONDS
            self._connection.wait(lambda: bool(answers), deadline=deadline)
            self._connection.send(messages.encode_notification("exit", None))
        self._connection.close()

    def _make_introduction(self) -> dict[str, object]:
        folder = {"uri": self._project.as_uri(), "name": self._project.name}
        return {
            "processId": os.getpid(),
            "clientInfo": {"name": "untildone"},
            "rootUri": folder["uri"],
            "workspaceFolders": [folder],
            "capabilities": CAPABILITIES,
        }

    def _initialize(self, answer: Incoming) -> None:
        if answer.error:
            raise ProtocolError(f"refused to start: {shorten_message(answer.error.message)}")
        self._pulls = messages.decode_part(answer.result, messages.InitializeResult).pulls
        self._ready = True
        self._connection.send(messages.encode_notification("initialized", {}))

    def _update_documents(
        self, files: Sequence[Path], texts: Mapping[Path, str]
    ) -> tuple[list[Path], list[str]]:
        """The files that the server now has as they are, and why it has not the others."""
        known: list[Path] = []
        reasons: list[str] = []
        with self._connection.changed:
            self._send_file_changes()
            self._send(self._documents.refresh())
            for path in files:
                try:
                    self._send(self._documents.update(path, texts.get(path)))
                    known.append(path)
                except UnreadableFileError as reason:
                    reasons.append(f"`{self._shorten(path)}` {reason}")
            self._pushed = {
                path: pushed
                for path, pushed in self._pushed.items()
                if self._documents.version(path)
            }
        return known, reasons

    def _send_file_changes(self) -> None:
        if self._file_changes:
            changes = [{"uri": uri, "type": kind} for uri, kind in self._file_changes.items()]
            method = "workspace/didChangeWatchedFiles"
            self._send([messages.encode_notification(method, {"changes": changes})])
            self._file_changes = {}

    def _send(self, encoded: Iterable[bytes]) -> None:
        for message in encoded:
            self._connection.send(message)

    def _pull_all(self, files: Sequence[Path], deadline: float) -> dict[Path, _FileDiagnostics]:
        found: dict[Path, _FileDiagnostics] = {}
        todo = list(files)
        while todo:
            answers = self._pull(todo, deadline)
            found |= {path: it for path, it in answers.items() if isinstance(it, _FileDiagnostics)}
            todo = [path for path, code in answers.items() if code in _RETRY_CODES]
            if todo and not self._pause(deadline):
                break
        return found

    def _pause(self, deadline: float) -> bool:
        """False if no time is left after the pause."""
        until = min(time.monotonic() + _RETRY_SECONDS, deadline)
        self._connection.wait(lambda: False, deadline=until)
        return until < deadline and not self.failure

    def _pull(self, files: Sequence[Path], deadline: float) -> dict[Path, _FileDiagnostics | int]:
        """The diagnostics, or the code of the error, of each file that got an answer."""
        answers: dict[Path, _FileDiagnostics | int] = {}

        def receive(path: Path, answer: Incoming) -> None:
            if answer.error:
                answers[path] = answer.error.code
            else:
                items = messages.decode_part(answer.result, PulledDiagnostics).items
                answers[path] = self._limit(path, items)

        for path in files:
            document = {"textDocument": {"uri": path.as_uri()}}
            self._connection.request(
                "textDocument/diagnostic", document, then=partial(receive, path)
            )
        self._connection.wait(lambda: len(answers) == len(files), deadline=deadline)
        with self._connection.changed:
            return dict(answers)

    def _await_pushed(self, files: Sequence[Path], deadline: float) -> dict[Path, _FileDiagnostics]:
        """Waits until the server is quiet, since it may push diagnostics several times."""
        began = time.monotonic()

        def is_settled() -> bool:
            latest = max((pushed.at for pushed in self._pushed.values()), default=0)
            quiet = time.monotonic() - max(latest, began) >= self._limits.quiet_seconds
            return quiet and not self._is_busy() and all(map(self._is_up_to_date, files))

        # Some servers announce only after their start that they want to be asked.
        self._connection.wait(lambda: self._pulls or is_settled(), deadline=deadline)
        with self._connection.changed:
            if is_settled():
                return {path: self._pushed[path] for path in files}
            self._waiting_since = self._waiting_since or began
            self._connection.expect_since(self._waiting_since)
        return {}

    def _is_up_to_date(self, path: Path) -> bool:
        pushed = self._pushed.get(path)
        return pushed is not None and pushed.version == self._documents.version(path)

    def _is_busy(self) -> bool:
        now = time.monotonic()
        return any(now - began < _PROGRESS_SECONDS for began in self._progress.values())

    def _handle(self, message: Incoming) -> bytes | None:
        match message.method:
            case "textDocument/publishDiagnostics":
                self._store_pushed(messages.decode_part(message.params, PublishedDiagnostics))
            case "$/progress":
                self._store_progress(messages.decode_part(message.params, ProgressNotification))
            case "client/registerCapability":
                methods = messages.decode_part(message.params, RegisteredCapabilities).methods
                self._pulls = self._pulls or "textDocument/diagnostic" in methods
            case _:
                pass
        return None if message.id is None else self._reply(message.id, message)

    def _reply(self, number: int | str, message: Incoming) -> bytes:
        match message.method:
            case "workspace/configuration":
                sections = messages.decode_part(message.params, ConfigurationRequest).sections
                settings = [make_settings(self._project, section) for section in sections]
                return messages.encode_response(number, settings)
            case "workspace/workspaceFolders":
                folders = self._make_introduction()["workspaceFolders"]
                return messages.encode_response(number, folders)
            case "workspace/applyEdit":
                return messages.encode_response(number, {"applied": False})
            case method if method in _ACKNOWLEDGED:
                return messages.encode_response(number, None)
            case method:
                return messages.encode_refusal(number, method)

    def _store_pushed(self, published: PublishedDiagnostics) -> None:
        path = parse_file_uri(published.uri)
        version = self._documents.version(path) if path else 0
        # Ignore old versions, and files that are not open.
        if path and version and published.version in (None, version):
            self._pushed[path] = self._limit(path, published.diagnostics)
            self._waiting_since = 0.0

    def _store_progress(self, progress: ProgressNotification) -> None:
        if progress.value.kind == "end":
            self._progress.pop(progress.token, None)
        elif progress.value.kind == "begin" and len(self._progress) < _MOST_PROGRESS:
            self._progress[progress.token] = time.monotonic()

    def _limit(self, path: Path, diagnostics: list[ServerDiagnostic]) -> _FileDiagnostics:
        return _FileDiagnostics(
            version=self._documents.version(path),
            diagnostics=diagnostics[: self._limits.diagnostics],
            total=len(diagnostics),
            at=time.monotonic(),
        )

    def _answer(
        self, files: Sequence[Path], found: Mapping[Path, _FileDiagnostics], reasons: list[str]
    ) -> ServerAnswer:
        name, limit = self._server.name, self._limits.diagnostics
        for path in files:
            if path not in found:
                reasons.append(f"`{name}` is not ready with `{self._shorten(path)}`")
            elif (total := found[path].total) > limit:
                reasons.append(
                    f"`{name}` said {total} things about `{self._shorten(path)}`, {limit} count"
                )
        return ServerAnswer(
            found={path: self._convert(path, it.diagnostics) for path, it in found.items()},
            reasons=tuple(reasons),
        )

    def _convert(
        self, path: Path, diagnostics: Iterable[ServerDiagnostic]
    ) -> tuple[Diagnostic, ...]:
        prefix, severity = self._server.code_prefix, self._server.severity
        found = make_diagnostics(self._shorten(path), diagnostics, prefix=prefix)
        if severity is None:
            return tuple(found)
        return tuple(replace(each, severity=severity(each.code)) for each in found)

    def _shorten(self, path: Path) -> str:
        """The path relative to the project if it is inside."""
        inside = path.is_relative_to(self._project)
        return path.relative_to(self._project).as_posix() if inside else str(path)

    def _answer_nothing(self, reason: str) -> ServerAnswer:
        return ServerAnswer(reasons=(f"`{self._server.name}` {self.failure or reason}",))
