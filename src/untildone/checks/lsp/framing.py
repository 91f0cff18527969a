"""Framing of messages in a stream: a header with the length, an empty line, the message."""

import re
from collections.abc import Iterator

from untildone.core.late_patterns import compile_late

LARGEST_HEADER = 4096

_END = b"\r\n\r\n"
# Content-Length: 2
# Content-Type: application/vscode-jsonrpc; charset=utf-8
_FIELD = compile_late(rb"content-[a-z-]+:[^\r\n]*", re.IGNORECASE)
_LENGTH = compile_late(rb"content-length:[ \t]*(\d{1,12})[ \t]*", re.IGNORECASE)


class FramingError(Exception):
    """The stream is not framed as the protocol says; the next message cannot be found."""


def add_header(message: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)


class Frames:
    """A splitter of a stream into messages; it buffers at most one incomplete message."""

    def __init__(self, *, largest: int) -> None:
        self._largest = largest
        self._buffer = bytearray()
        self._length: int | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._buffer += data
        while (message := self._take_message()) is not None:
            yield message

    def _take_message(self) -> bytes | None:
        if self._length is None:
            self._length = self._read_header()
        if self._length is None or len(self._buffer) < self._length:
            return None
        message = bytes(self._buffer[: self._length])
        del self._buffer[: self._length]
        self._length = None
        return message

    def _read_header(self) -> int | None:
        end = self._buffer.find(_END, 0, LARGEST_HEADER)
        if end < 0:
            if len(self._buffer) >= LARGEST_HEADER or not self._may_be_header():
                raise FramingError("sent something that is no message")
            return None
        length = _parse_length(bytes(self._buffer[:end]))
        if length > self._largest:
            raise FramingError(f"sent a message of {length} bytes, more than {self._largest}")
        del self._buffer[: end + len(_END)]
        return length

    def _may_be_header(self) -> bool:
        """Say whether it may become a header; a program that prints a usage text is found early."""
        *lines, _ = bytes(self._buffer).split(b"\n")
        return all(
            _FIELD.fullmatch(line.removesuffix(b"\r")) and line[-1:] == b"\r" for line in lines
        )


def _parse_length(header: bytes) -> int:
    fields = header.split(b"\r\n")
    if not all(map(_FIELD.fullmatch, fields)):
        raise FramingError("sent something that is no message")
    lengths = {match[1] for match in map(_LENGTH.fullmatch, fields) if match}
    if len(lengths) != 1:
        raise FramingError("sent a message without its length")
    return int(lengths.pop())
