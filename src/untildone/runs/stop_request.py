"""The user's request to stop a run: Ctrl-C here, `pause` or `cancel` anywhere."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from untildone.store.sessions import Session

_LOOK_SECONDS = 0.2


class StopRequest(threading.Event):
    """Ends the client gently once it is set."""

    def __init__(self) -> None:
        super().__init__()
        self._session: Session | None = None

    def watch(self, session: Session) -> None:
        self._session = session

    @property
    def asked(self) -> bool:
        """Say whether Ctrl-C was pressed or our output was closed."""
        return super().is_set()

    def is_set(self) -> bool:
        """Say whether the run should end: it was interrupted, or its loop is no longer active."""
        return super().is_set() or (self._session is not None and not self._session.is_active())

    def pause_until(self, moment: float, clock: Callable[[], float]) -> bool:
        """Sleep until then, and return False if the run was stopped.

        One clock continues while the machine sleeps, the other if the time is set back.
        """
        latest = time.monotonic() + moment - clock()
        while (remaining := min(moment - clock(), latest - time.monotonic())) > 0:
            if self.is_set():
                return False
            time.sleep(min(_LOOK_SECONDS, remaining))
        return True


@contextmanager
def catch_first_interrupt(stopping: StopRequest) -> Iterator[None]:
    """Turn the first Ctrl-C into a request; the next one acts as usual."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def ask(_number: int, _frame: FrameType | None) -> None:
        stopping.set()
        signal.signal(signal.SIGINT, before)

    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
