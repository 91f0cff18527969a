"""The input of a program that is sent more while it runs."""

import queue
import threading
import time
from collections.abc import Callable
from typing import IO

from untildone.process.output import feed_parts

# How long the program may take to end once its input is closed, or to act on the last message.
_PATIENCE = 3.0


class LiveInput:
    """What a running program is sent; once that is closed, the program is expected to end.

    `last_words` returns what it is sent before it is ended early, so that it can save its state.
    """

    def __init__(self, last_words: Callable[[], bytes] = bytes) -> None:
        self._last_words = last_words
        self._unsent: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._closed_at = 0.0

    def send(self, data: bytes) -> None:
        if data:
            self._unsent.put(data)

    def close(self) -> None:
        if not self._closed.is_set():
            self._closed_at = time.monotonic()
            self._closed.set()
            self._unsent.put(b"")

    def is_overdue(self) -> bool:
        """Say whether the program still runs though its input was closed a while ago."""
        return self._closed.is_set() and time.monotonic() - self._closed_at > _PATIENCE

    def say_last_words(self) -> None:
        """Send them, and wait until the input is closed in reply."""
        if words := self._last_words():
            self.send(words)
            self._closed.wait(_PATIENCE)

    def write_to(self, pipe: IO[bytes]) -> None:
        feed_parts(pipe, iter(self._unsent.get, b""))
