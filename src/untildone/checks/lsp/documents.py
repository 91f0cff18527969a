"""The documents that a server has open, and the messages that keep them up to date."""

import hashlib
import os
import re
import stat
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from msgspec import Struct

from untildone.checks.lsp.messages import encode
from untildone.checks.lsp.servers import Server

MOST_OPEN = 50
LARGEST_FILE = 1_000_000
_NONE: Mapping[str, object] = {}


class UnreadableFileError(Exception):
    """A file cannot be sent to a server; the message says why."""


class _OpenDocument(Struct):
    version: int
    digest: bytes


class Documents:
    """The documents that a server has open; the methods yield the messages to send."""

    def __init__(self, server: Server) -> None:
        self._languages = server.languages
        self._open: OrderedDict[Path, _OpenDocument] = OrderedDict()

    def update(self, path: Path, text: str | None = None) -> Iterator[bytes]:
        """Yield messages that open or change a document; `text` replaces the content on disk."""
        data = read_content(path) if text is None else text.encode("utf-8", "replace")
        digest = hashlib.sha256(data).digest()
        document = self._open.get(path)
        if document is None:
            self._open[path] = _OpenDocument(1, digest)
            language = self._languages[path.suffix]
            text = data.decode("utf-8", "replace")
            yield _notify("didOpen", path, {"languageId": language, "version": 1, "text": text})
        elif document.digest != digest:
            document.version += 1
            document.digest = digest
            changes = [{"text": data.decode("utf-8", "replace")}]
            yield _notify("didChange", path, {"version": document.version}, contentChanges=changes)
        self._open.move_to_end(path)
        while len(self._open) > MOST_OPEN:
            yield _notify("didClose", self._open.popitem(last=False)[0])

    def refresh(self) -> Iterator[bytes]:
        """Yield messages that update open documents, which servers use instead of files on disk."""
        for path in list(self._open):
            try:
                yield from self.update(path)
            except UnreadableFileError:
                del self._open[path]
                yield _notify("didClose", path)

    def get_version(self, path: Path) -> int:
        """Return the version of an open document; 0 if it is not open."""
        document = self._open.get(path)
        return document.version if document else 0


def _notify(event: str, path: Path, fields: Mapping[str, object] = _NONE, **more: object) -> bytes:
    """Return a notification about a document, with further fields of it."""
    document = {"uri": path.as_uri(), **fields}
    return encode(method=f"textDocument/{event}", params={"textDocument": document, **more})


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
    """Return the path of a `file` URI in any spelling; None for other URIs."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file":
        return None
    # Some servers write the colon of a drive as `%3A`.
    return Path(url2pathname(re.sub("%3a", ":", parts.path, flags=re.IGNORECASE)))
