"""The steps, time and memory that reading a project may take.

Steps are counted for each file, so the same file is read on every machine or on none. Time and
memory are a backstop for the whole comparison.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

MOST_STEPS = 3_000_000
SECONDS = 10.0
_MEGABYTES = 256
_MOST_SECONDS = 60
_MOST_MEGABYTES = 1_024
# To parse and walk one megabyte of tests takes half of this.
_SECONDS_PER_MB = 30
_MEMORY_PER_MB = 150
_STEPS_BETWEEN_LOOKS = 4_096
_PAGE = 4_096
_SECONDS_BETWEEN_LOOKS = 0.2


class OverBudget(Exception):  # noqa: N818  reads as what happened
    """Reading takes more than it may; the text says of what, `path` at which file."""

    def __init__(self, because: str, path: str = "") -> None:
        super().__init__(f"{because} (last read: `{path}`)" if path else because)
        self.path = path


class TooManySteps(OverBudget):
    """One file takes more steps than a file may; the others can still be read."""


class _Steps:
    def __init__(self, most: int) -> None:
        self.left = most
        self.next_look = most - _STEPS_BETWEEN_LOOKS


class Limit:
    """Of the processor time of this process: other programs do not make it shorter.

    It grows with the text that is read, up to a bound: a large honest change takes longer.
    """

    def __init__(self, seconds: float, megabytes: float) -> None:
        self.began = time.process_time()
        self.before = _resident()
        self.seconds = seconds
        self.megabytes = megabytes
        self.path = ""
        self.read: set[str] = set()

    def allow_for(self, path: str, size: int) -> None:
        if path not in self.read:
            self.read.add(path)
            more = size / 1_000_000
            self.seconds = _grown(self.seconds, more * _SECONDS_PER_MB, _MOST_SECONDS)
            self.megabytes = _grown(self.megabytes, more * _MEMORY_PER_MB, _MOST_MEGABYTES)

    def check(self) -> None:
        if time.process_time() - self.began > self.seconds:
            raise OverBudget(
                f"it takes more than {self.seconds:.0f} s of processor time", self.path
            )
        if _resident() - self.before > self.megabytes:
            raise OverBudget(f"it takes more than {self.megabytes:.0f} MB of memory", self.path)


def _grown(now: float, more: float, most: float) -> float:
    return max(now, min(now + more, most))


def _resident() -> float:
    """Megabytes in use; nothing where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return _peak()
    return pages * _PAGE / 1_048_576


def _peak() -> float:
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1_048_576 if sys.platform == "darwin" else 1_024)


_steps: ContextVar[_Steps | None] = ContextVar("steps", default=None)
_limit: ContextVar[Limit | None] = ContextVar("limit", default=None)


def spend(steps: int = 1) -> None:
    """Counts work done for the file that is being read."""
    counted = _steps.get()
    if counted is None:
        return
    counted.left -= steps
    if counted.left < 0:
        raise TooManySteps("it takes too many steps")
    if counted.left < counted.next_look:
        counted.next_look = counted.left - _STEPS_BETWEEN_LOOKS
        check()


def check() -> None:
    limit = _limit.get()
    if limit is not None:
        limit.check()


def begin(path: str, size: int) -> None:
    """Notes that this file is read next, of which there are so many bytes."""
    limit = _limit.get()
    if limit is not None:
        limit.path = path
        limit.check()
        limit.allow_for(path, size)


def last_read() -> str:
    """The file that was asked for last, so that a failure can be told with its name."""
    limit = _limit.get()
    return limit.path if limit is not None else ""


@contextmanager
def limited_steps(most: int = MOST_STEPS) -> Iterator[None]:
    """Raises TooManySteps inside as soon as one file has taken its share."""
    token = _steps.set(_Steps(most))
    try:
        yield
    finally:
        _steps.reset(token)


@contextmanager
def limited_time(seconds: float = SECONDS, megabytes: float = _MEGABYTES) -> Iterator[Limit]:
    """Raises OverBudget inside as soon as time or memory are used up, whatever is being done."""
    limit = Limit(seconds, megabytes)
    token = _limit.set(limit)
    try:
        with _alarm(limit.check):
            yield limit
    finally:
        _limit.reset(token)


@contextmanager
def _alarm(check: Callable[[], None]) -> Iterator[None]:
    """Looks in between where the system has a timer; elsewhere only `check` and `spend` look."""
    if not hasattr(signal, "setitimer") or threading.current_thread() != threading.main_thread():
        yield
        return

    def look(_signal: int, _frame: object) -> None:
        try:
            check()
        except OverBudget:
            # Once is enough: a second one could meet whoever deals with the first.
            signal.setitimer(signal.ITIMER_PROF, 0)
            raise

    before = signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, _SECONDS_BETWEEN_LOOKS, _SECONDS_BETWEEN_LOOKS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
