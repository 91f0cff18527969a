"""The documents that a server has open, and the messages that keep them up to date."""

import hashlib
import os
import re
import stat
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from msgspec import Struct

from untildone.checks.lsp.messages import encode_notification
from untildone.checks.lsp.servers import Server

MOST_OPEN = 50
LARGEST_FILE = 1_000_000


class UnreadableFileError(Exception):
    """A file cannot be sent to a server; the message says why."""


class _OpenDocument(Struct):
    version: int
    digest: bytes


class Documents:
    """Its methods return the messages to send."""

    def __init__(self, server: Server) -> None:
        self._languages = server.languages
        self._open: OrderedDict[Path, _OpenDocument] = OrderedDict()

    def update(self, path: Path, text: str | None = None) -> Iterator[bytes]:
        """Opens or changes a document; `text` replaces the content on disk."""
        data = read_content(path) if text is None else text.encode("utf-8", "replace")
        digest = hashlib.sha256(data).digest()
        known = self._open.get(path)
        if known is None:
            self._open[path] = _OpenDocument(1, digest)
            yield self._make_open(path, data)
        elif known.digest != digest:
            known.version += 1
            known.digest = digest
            yield _make_change(path, known.version, data)
        self._open.move_to_end(path)
        while len(self._open) > MOST_OPEN:
            yield _make_close(self._open.popitem(last=False)[0])

    def refresh(self) -> Iterator[bytes]:
        """Updates all open documents, because servers use them instead of the files on disk."""
        for path in list(self._open):
            try:
                yield from self.update(path)
            except UnreadableFileError:
                del self._open[path]
                yield _make_close(path)

    def version(self, path: Path) -> int:
        """The version of an open document; 0 if it is not open."""
        known = self._open.get(path)
        return known.version if known else 0

    def _make_open(self, path: Path, data: bytes) -> bytes:
        document = {
            "uri": path.as_uri(),
            "languageId": self._languages[path.suffix],
            "version": 1,
            "text": data.decode("utf-8", "replace"),
        }
        return encode_notification("textDocument/didOpen", {"textDocument": document})


def _make_change(path: Path, version: int, data: bytes) -> bytes:
    return encode_notification(
        "textDocument/didChange",
        {
            "textDocument": {"uri": path.as_uri(), "version": version},
            "contentChanges": [{"text": data.decode("utf-8", "replace")}],
        },
    )


def _make_close(path: Path) -> bytes:
    return encode_notification("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})


def read_content(path: Path) -> bytes:
    try:
        # A named pipe with the name of a source file must not block.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise UnreadableFileError(
            f"cannot be read: {(error.strerror or str(error)).lower()}"
        ) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnreadableFileError("is not a regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(LARGEST_FILE + 1)
    finally:
        os.close(descriptor)
    if len(data) > LARGEST_FILE:
        raise UnreadableFileError(f"is larger than {LARGEST_FILE} bytes")
    return data


def parse_file_uri(uri: str) -> Path | None:
    """The path of a `file` URI in any spelling; None for other URIs."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file":
        return None
    # Some servers write the colon of a drive as `%3A`.
    return Path(url2pathname(re.sub("%3a", ":", parts.path, flags=re.IGNORECASE)))
