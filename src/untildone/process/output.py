"""The output of a program: its beginning and end in bounded memory, and a bounded log."""

import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, TypeAlias

HEAD_LIMIT = 32 * 1024
TAIL_LIMIT = 64 * 1024
LOG_LIMIT = 64 * 1024 * 1024
FLOOD_LIMIT = 1024 * 1024
_CHUNK = 256 * 1024

# Called with each chunk in the reading thread; it must not raise.
OutputCallback: TypeAlias = Callable[[bytes], None]


def describe_gap(count: int) -> bytes:
    return f"\n[{count} bytes left out]\n".encode() if count > 0 else b""


class Log:
    """The output as a file; beyond the limit only its beginning and its end."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        self._file = os.fdopen(os.open(path, flags, 0o600), "wb", buffering=0)
        self._written = 0

    def add(self, chunk: bytes) -> None:
        room = LOG_LIMIT - self._written
        if room > 0:
            self._written += self._file.write(chunk[:room]) or 0

    def close(self, *, size: int, tail: bytes) -> None:
        with self._file:
            if size > self._written:
                head_size = min(self._written, FLOOD_LIMIT - TAIL_LIMIT)
                end = tail[head_size - size :]
                self._file.truncate(head_size)
                self._file.seek(head_size)
                self._file.write(describe_gap(size - head_size - len(end)) + end)


class Output:
    """A thread that reads a stream until it ends or is closed."""

    def __init__(
        self, stream: IO[bytes], *, log: Path | None, on_output: OutputCallback | None = None
    ) -> None:
        self.ended = threading.Event()
        self._stream = stream
        self._on_output = on_output
        self._size = 0
        self._head = bytearray()
        # Whole chunks: copying their ends would cost as much as reading them.
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._lock = threading.Lock()
        self._log: Log | None = None
        # A full or read-only disk costs the log, not the result.
        with contextlib.suppress(OSError):
            self._log = Log(log) if log else None
        # A daemon thread, because a process that could not be killed may keep the pipe open.
        threading.Thread(target=self._read, daemon=True).start()

    def close(self) -> tuple[bytes, bytes, int]:
        """Return head, tail and size; head and tail are the whole output if it fits."""
        with self._lock:
            tail = b"".join(self._tail)[-TAIL_LIMIT:]
            log, self._log = self._log, None
            if log:
                with contextlib.suppress(OSError):
                    log.close(size=self._size, tail=tail)
            return bytes(self._head), tail, self._size

    def _read(self) -> None:
        with self._stream as stream:
            while chunk := os.read(stream.fileno(), _CHUNK):
                with self._lock:
                    self._add(chunk)
                if self._on_output:
                    self._on_output(chunk)
        self.ended.set()

    def _add(self, chunk: bytes) -> None:
        self._size += len(chunk)
        if self._log:
            with contextlib.suppress(OSError):
                self._log.add(chunk)
        if room := HEAD_LIMIT - len(self._head):
            self._head += chunk[:room]
            chunk = chunk[room:]
        self._tail.append(chunk)
        self._tail_size += len(chunk)
        while self._tail_size - len(self._tail[0]) >= TAIL_LIMIT:
            self._tail_size -= len(self._tail.popleft())


def feed(pipe: IO[bytes], data: bytes) -> None:
    """Write the input; what the program does not read is dropped."""
    feed_parts(pipe, (data,))


def feed_parts(pipe: IO[bytes], parts: Iterable[bytes]) -> None:
    """Write each part of the input as it comes."""
    with contextlib.suppress(OSError), pipe:
        for part in parts:
            # The pipe is unbuffered and may take only a part at a time.
            view = memoryview(part)
            while view:
                view = view[pipe.write(view) :]
