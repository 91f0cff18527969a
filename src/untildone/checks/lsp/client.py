"""One language server of one project: told of files, asked about them, ended."""

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
    Progress,
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
# Who begins work and never ends it is not waited for.
_WORK_SECONDS = 30.0
_MOST_WORK = 100
_RETRY_SECONDS = 0.1
# ServerCancelled and ContentModified: the specification's "ask again".
_AGAIN = (-32802, -32801)
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
    """What is known, by file; `reasons` tell what is not, and why."""

    found: dict[Path, tuple[Diagnostic, ...]] = {}
    reasons: tuple[str, ...] = ()


class _Said(Struct, frozen=True):
    """About one version of a document; `total` with what was too much to keep."""

    version: int
    reported: list[ServerDiagnostic]
    total: int
    at: float = 0


class Client:
    """One question at a time is put to it."""

    def __init__(
        self, choice: SelectedServer, project: Path, *, limits: ServerLimits | None = None
    ) -> None:
        self._server = choice.server
        self._project = project
        self._limits = limits or ServerLimits()
        self._documents = Documents(choice.server)
        self._pushed: dict[Path, _Said] = {}
        self._work: dict[int | str, float] = {}
        self._news: dict[str, int] = {}
        # Since when something was to be pushed and was not.
        self._waited_since = 0.0
        self._ready = False
        self._pulls = False
        self._link = Connection(choice.argv, project, limits=self._limits, hear=self._hear)
        self._link.ask("initialize", self._introduction(), then=self._greeted)

    @property
    def failure(self) -> str:
        """Why it can no longer be asked; "" while it can."""
        return self._link.failure

    def tell(self, changes: Iterable[tuple[Path, int]]) -> None:
        """Of files on the disk, with the protocol's number for what became of each."""
        self._news |= {path.as_uri(): kind for path, kind in changes}

    def diagnose(
        self, files: Sequence[Path], *, deadline: float, texts: Mapping[Path, str] | None = None
    ) -> ServerAnswer:
        """What it says in time about the files as `texts` has them, else as the disk has now."""
        self._link.begin_question()
        if not self._link.wait(lambda: self._ready, deadline=deadline):
            return self._silent("is still starting")
        known, reasons = self._brought_up(files, texts or {})
        said = {} if self._pulls else self._heard(known, deadline)
        if self._pulls:
            said = self._pulled(known, deadline)
        return self._silent("") if self.failure else self._answer(known, said, reasons)

    def check(self) -> None:
        self._link.check()

    def close(self) -> None:
        """Politely, to who has been polite."""
        if self._ready and not self.failure:
            answered: list[Incoming] = []
            self._link.ask("shutdown", None, then=answered.append)
            deadline = time.monotonic() + _SHUTDOWN_SECONDS
            self._link.wait(lambda: bool(answered), deadline=deadline)
            self._link.say(messages.encode_notification("exit", None))
        self._link.close()

    def _introduction(self) -> dict[str, object]:
        folder = {"uri": self._project.as_uri(), "name": self._project.name}
        return {
            "processId": os.getpid(),
            "clientInfo": {"name": "untildone"},
            "rootUri": folder["uri"],
            "workspaceFolders": [folder],
            "capabilities": CAPABILITIES,
        }

    def _greeted(self, answer: Incoming) -> None:
        if answer.error:
            raise ProtocolError(f"refused to start: {shorten_message(answer.error.message)}")
        self._pulls = messages.decode_part(answer.result, messages.InitializeResult).pulls
        self._ready = True
        self._link.say(messages.encode_notification("initialized", {}))

    def _brought_up(
        self, files: Sequence[Path], texts: Mapping[Path, str]
    ) -> tuple[list[Path], list[str]]:
        """The files the server knows as they are now; the others with the reason."""
        known: list[Path] = []
        reasons: list[str] = []
        with self._link.changed:
            self._pass_news_on()
            self._say(self._documents.refreshed())
            for path in files:
                try:
                    self._say(self._documents.brought_up(path, texts.get(path)))
                    known.append(path)
                except UnreadableFileError as reason:
                    reasons.append(f"`{self._shown(path)}` {reason}")
            kept = self._pushed.items()
            self._pushed = {path: said for path, said in kept if self._documents.version(path)}
        return known, reasons

    def _pass_news_on(self) -> None:
        if self._news:
            changes = [{"uri": uri, "type": kind} for uri, kind in self._news.items()]
            self._say(
                [
                    messages.encode_notification(
                        "workspace/didChangeWatchedFiles", {"changes": changes}
                    )
                ]
            )
            self._news = {}

    def _say(self, said: Iterable[bytes]) -> None:
        for message in said:
            self._link.say(message)

    def _pulled(self, files: Sequence[Path], deadline: float) -> dict[Path, _Said]:
        said: dict[Path, _Said] = {}
        todo = list(files)
        while todo:
            answers = self._pull(todo, deadline)
            said |= {path: got for path, got in answers.items() if isinstance(got, _Said)}
            todo = [path for path, got in answers.items() if got in _AGAIN]
            if todo and not self._paused(deadline):
                break
        return said

    def _paused(self, deadline: float) -> bool:
        """False if there is no time to go on after the pause."""
        until = min(time.monotonic() + _RETRY_SECONDS, deadline)
        self._link.wait(lambda: False, deadline=until)
        return until < deadline and not self.failure

    def _pull(self, files: Sequence[Path], deadline: float) -> dict[Path, _Said | int]:
        """What was said, or the number of the reason why not."""
        answers: dict[Path, _Said | int] = {}

        def answered(path: Path, answer: Incoming) -> None:
            if answer.error:
                answers[path] = answer.error.code
            else:
                answers[path] = self._kept(
                    path, messages.decode_part(answer.result, PulledDiagnostics).items
                )

        for path in files:
            about = {"textDocument": {"uri": path.as_uri()}}
            self._link.ask("textDocument/diagnostic", about, then=partial(answered, path))
        self._link.wait(lambda: len(answers) == len(files), deadline=deadline)
        with self._link.changed:
            return dict(answers)

    def _heard(self, files: Sequence[Path], deadline: float) -> dict[Path, _Said]:
        """Who pushes pushes again: it has said all only when it has been quiet for a while."""
        asked_at = time.monotonic()

        def settled() -> bool:
            latest = max((said.at for said in self._pushed.values()), default=0)
            quiet = time.monotonic() - max(latest, asked_at) >= self._limits.quiet_seconds
            return quiet and not self._busy() and all(map(self._up_to_date, files))

        # Some say only after they have started that they want to be asked.
        self._link.wait(lambda: self._pulls or settled(), deadline=deadline)
        with self._link.changed:
            if settled():
                return {path: self._pushed[path] for path in files}
            self._waited_since = self._waited_since or asked_at
            self._link.expect_since(self._waited_since)
        return {}

    def _up_to_date(self, path: Path) -> bool:
        said = self._pushed.get(path)
        return said is not None and said.version == self._documents.version(path)

    def _busy(self) -> bool:
        return any(time.monotonic() - began < _WORK_SECONDS for began in self._work.values())

    def _hear(self, message: Incoming) -> bytes | None:
        match message.method:
            case "textDocument/publishDiagnostics":
                self._publish(messages.decode_part(message.params, PublishedDiagnostics))
            case "$/progress":
                self._note(messages.decode_part(message.params, Progress))
            case "client/registerCapability":
                offered = messages.decode_part(message.params, RegisteredCapabilities).methods
                self._pulls = self._pulls or "textDocument/diagnostic" in offered
            case _:
                pass
        return None if message.id is None else self._reply(message.id, message)

    def _reply(self, number: int | str, message: Incoming) -> bytes:
        match message.method:
            case "workspace/configuration":
                sections = messages.decode_part(message.params, ConfigurationRequest).sections
                return messages.encode_response(
                    number, [make_settings(self._project, s) for s in sections]
                )
            case "workspace/workspaceFolders":
                return messages.encode_response(number, self._introduction()["workspaceFolders"])
            case "workspace/applyEdit":
                return messages.encode_response(number, {"applied": False})
            case method if method in _ACKNOWLEDGED:
                return messages.encode_response(number, None)
            case method:
                return messages.encode_refusal(number, method)

    def _publish(self, published: PublishedDiagnostics) -> None:
        path = parse_file_uri(published.uri)
        version = self._documents.version(path) if path else 0
        # Of a version that is no longer the file, or of a file nobody asked about.
        if path and version and published.version in (None, version):
            self._pushed[path] = self._kept(path, published.diagnostics)
            self._waited_since = 0.0

    def _note(self, work: Progress) -> None:
        if work.value.kind == "end":
            self._work.pop(work.token, None)
        elif work.value.kind == "begin" and len(self._work) < _MOST_WORK:
            self._work[work.token] = time.monotonic()

    def _kept(self, path: Path, reported: list[ServerDiagnostic]) -> _Said:
        return _Said(
            version=self._documents.version(path),
            reported=reported[: self._limits.diagnostics],
            total=len(reported),
            at=time.monotonic(),
        )

    def _answer(
        self, files: Sequence[Path], said: Mapping[Path, _Said], reasons: list[str]
    ) -> ServerAnswer:
        for path in files:
            if path not in said:
                reasons.append(f"`{self._server.name}` is not ready with `{self._shown(path)}`")
            elif said[path].total > self._limits.diagnostics:
                too_many = f"said {said[path].total} things about `{self._shown(path)}`"
                reasons.append(
                    f"`{self._server.name}` {too_many}, {self._limits.diagnostics} count"
                )
        found = {path: self._diagnostics(path, said[path].reported) for path in said}
        return ServerAnswer(found=found, reasons=tuple(reasons))

    def _diagnostics(
        self, path: Path, reported: Iterable[ServerDiagnostic]
    ) -> tuple[Diagnostic, ...]:
        found = make_diagnostics(self._shown(path), reported, prefix=self._server.code_prefix)
        severity = self._server.severity
        if severity is None:
            return tuple(found)
        return tuple(replace(one, severity=severity(one.code)) for one in found)

    def _shown(self, path: Path) -> str:
        inner = path.is_relative_to(self._project)
        return path.relative_to(self._project).as_posix() if inner else str(path)

    def _silent(self, reason: str) -> ServerAnswer:
        return ServerAnswer(reasons=(f"`{self._server.name}` {self.failure or reason}",))
