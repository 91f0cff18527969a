"""The turn of one process to run checks of a project; its threads share it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import Lock


class CheckTurn:
    """Taken by the first thread that runs checks and given back by the last."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0
        self._held = ExitStack()

    @contextmanager
    def take(self, wait: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
        """Hold the turn inside; `wait` waits for it where no thread has it yet."""
        with self._lock:
            if not self._users:
                self._held.enter_context(wait())
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._held.close()
