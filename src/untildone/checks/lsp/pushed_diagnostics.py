"""What a server sends unasked: diagnostics of open documents, and the progress of its work."""

import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from untildone.checks.lsp import messages
from untildone.checks.lsp.documents import Documents, parse_file_uri

# Progress that a server begins and never ends is ignored after this time.
_PROGRESS_SECONDS = 30.0
_MOST_PROGRESS = 100


class FileDiagnostics(Struct, frozen=True):
    """Diagnostics for one version of a document; `total` counts also those cut off."""

    diagnostics: list[messages.ServerDiagnostic]
    total: int
    version: int = 0
    at: float = 0


class PushedDiagnostics:
    """The newest diagnostics of each open document, and whether the server is still working."""

    def __init__(self, documents: Documents, *, most: int) -> None:
        self._documents = documents
        self._most = most
        self._by_path: dict[Path, FileDiagnostics] = {}
        # The start of each progress that the server has not ended.
        self._progress: dict[int | str, float] = {}

    def store(self, published: messages.PublishedDiagnostics) -> bool:
        """Store diagnostics; return False for an old version, or a file that is not open."""
        path = parse_file_uri(published.uri)
        version = self._documents.get_version(path) if path else 0
        if not path or not version or published.version not in (None, version):
            return False
        diagnostics, total = published.diagnostics[: self._most], len(published.diagnostics)
        self._by_path[path] = FileDiagnostics(diagnostics, total, version, at=time.monotonic())
        return True

    def store_progress(self, progress: messages.ProgressNotification) -> None:
        if progress.value.kind == "end":
            self._progress.pop(progress.token, None)
        elif progress.value.kind == "begin" and len(self._progress) < _MOST_PROGRESS:
            self._progress[progress.token] = time.monotonic()

    def forget_closed(self) -> None:
        entries = self._by_path.items()
        self._by_path = {
            path: found for path, found in entries if self._documents.get_version(path)
        }

    def select_settled(
        self, files: Sequence[Path], *, since: float, quiet: float
    ) -> dict[Path, FileDiagnostics] | None:
        """Return the files' diagnostics once the server was quiet for so long; None before."""
        now = time.monotonic()
        latest = max((found.at for found in self._by_path.values()), default=0)
        is_busy = any(now - began < _PROGRESS_SECONDS for began in self._progress.values())
        if is_busy or now - max(latest, since) < quiet:
            return None
        found = {path: self._by_path[path] for path in files if path in self._by_path}
        versions = {path: diagnostics.version for path, diagnostics in found.items()}
        return (
            found
            if versions == {path: self._documents.get_version(path) for path in files}
            else None
        )
