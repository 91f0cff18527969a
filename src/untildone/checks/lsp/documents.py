"""The files a server has open: told once, then by what changed, and only so many of them."""

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
    """Why no server can be told of the file."""


class _Open(Struct):
    version: int
    digest: bytes


class Documents:
    """Each method gives the messages that bring the server up to what is on the disk."""

    def __init__(self, server: Server) -> None:
        self._languages = server.languages
        self._open: OrderedDict[Path, _Open] = OrderedDict()

    def brought_up(self, path: Path, text: str | None = None) -> Iterator[bytes]:
        """`text`: what to say is in the file, instead of what is on the disk."""
        data = read_content(path) if text is None else text.encode("utf-8", "replace")
        digest = hashlib.sha256(data).digest()
        known = self._open.get(path)
        if known is None:
            self._open[path] = _Open(1, digest)
            yield self._opened(path, data)
        elif known.digest != digest:
            known.version += 1
            known.digest = digest
            yield _changed(path, known.version, data)
        self._open.move_to_end(path)
        while len(self._open) > MOST_OPEN:
            yield _closed(self._open.popitem(last=False)[0])

    def refreshed(self) -> Iterator[bytes]:
        """What is open counts for a server, not the disk: also other files must be up to date."""
        for path in list(self._open):
            try:
                yield from self.brought_up(path)
            except UnreadableFileError:
                del self._open[path]
                yield _closed(path)

    def version(self, path: Path) -> int:
        """0 if it is not open."""
        known = self._open.get(path)
        return known.version if known else 0

    def _opened(self, path: Path, data: bytes) -> bytes:
        document = {
            "uri": path.as_uri(),
            "languageId": self._languages[path.suffix],
            "version": 1,
            "text": data.decode("utf-8", "replace"),
        }
        return encode_notification("textDocument/didOpen", {"textDocument": document})


def _changed(path: Path, version: int, data: bytes) -> bytes:
    return encode_notification(
        "textDocument/didChange",
        {
            "textDocument": {"uri": path.as_uri(), "version": version},
            "contentChanges": [{"text": data.decode("utf-8", "replace")}],
        },
    )


def _closed(path: Path) -> bytes:
    return encode_notification("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})


def read_content(path: Path) -> bytes:
    try:
        # Without waiting for the other end of a pipe that has a source file's name.
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
    """The file a server means, however it spells its address."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file":
        return None
    # A drive's colon may come as `%3A`.
    return Path(url2pathname(re.sub("%3a", ":", parts.path, flags=re.IGNORECASE)))
