"""Messages in a stream of bytes: a header that tells the length, an empty line, the message."""

import re
from collections.abc import Iterator

LARGEST_HEADER = 4096

_END = b"\r\n\r\n"
# Content-Length: 2
# Content-Type: application/vscode-jsonrpc; charset=utf-8
_FIELD = re.compile(rb"content-[a-z-]+:[^\r\n]*", re.IGNORECASE)
_LENGTH = re.compile(rb"content-length:[ \t]*(\d{1,12})[ \t]*", re.IGNORECASE)


class FramingError(Exception):
    """The stream cannot be read on: where its next message begins is unknown."""


def add_header(message: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)


class Frames:
    """Bytes in as they arrive, whole messages out; never more than one message is kept."""

    def __init__(self, *, largest: int) -> None:
        self._largest = largest
        self._kept = bytearray()
        self._length: int | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._kept += data
        while (message := self._next()) is not None:
            yield message

    def _next(self) -> bytes | None:
        if self._length is None:
            self._length = self._header()
        if self._length is None or len(self._kept) < self._length:
            return None
        message = bytes(self._kept[: self._length])
        del self._kept[: self._length]
        self._length = None
        return message

    def _header(self) -> int | None:
        end = self._kept.find(_END, 0, LARGEST_HEADER)
        if end < 0:
            if len(self._kept) >= LARGEST_HEADER or not self._may_begin():
                raise FramingError("sent something that is no message")
            return None
        length = _length_in(bytes(self._kept[:end]))
        if length > self._largest:
            raise FramingError(f"sent a message of {length} bytes, more than {self._largest}")
        del self._kept[: end + len(_END)]
        return length

    def _may_begin(self) -> bool:
        """Told early: who prints a usage text and then waits would keep us waiting too."""
        *lines, _ = bytes(self._kept).split(b"\n")
        return all(
            _FIELD.fullmatch(line.removesuffix(b"\r")) and line[-1:] == b"\r" for line in lines
        )


def _length_in(header: bytes) -> int:
    fields = header.split(b"\r\n")
    if not all(map(_FIELD.fullmatch, fields)):
        raise FramingError("sent something that is no message")
    lengths = {match[1] for match in map(_LENGTH.fullmatch, fields) if match}
    if len(lengths) != 1:
        raise FramingError("sent a message without its length")
    return int(lengths.pop())
