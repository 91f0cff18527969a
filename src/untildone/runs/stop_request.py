"""How the person stops a run: Ctrl-C here, `pause` or `cancel` anywhere."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from untildone.store.sessions import Session

_LOOK_SECONDS = 0.2


class StopRequest(threading.Event):
    """Set while the client runs, so that it is ended gently; read by whoever watches it."""

    def __init__(self) -> None:
        super().__init__()
        self._session: Session | None = None

    def watch(self, session: Session) -> None:
        self._session = session

    @property
    def asked(self) -> bool:
        """By Ctrl-C, or by whom nobody reads any more."""
        return super().is_set()

    def is_set(self) -> bool:
        return super().is_set() or (self._session is not None and not self._session.is_active())

    def pause_until(self, moment: float, clock: Callable[[], float]) -> bool:
        """False if it was stopped.

        The wall clock goes on while a machine sleeps; the other one, when somebody sets it back.
        """
        latest = time.monotonic() + moment - clock()
        while (left := min(moment - clock(), latest - time.monotonic())) > 0:
            if self.is_set():
                return False
            time.sleep(min(_LOOK_SECONDS, left))
        return True


@contextmanager
def catch_first_interrupt(stopping: StopRequest) -> Iterator[None]:
    """The first Ctrl-C asks; the next one has the effect it had outside."""
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
