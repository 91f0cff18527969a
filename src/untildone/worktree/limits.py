"""Limits on the steps, time and memory that a comparison may take.

Steps are counted for each file, so the same file is read on every machine or on none. Time and
memory are limited for the whole comparison, in case counting steps is not enough.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

MAX_STEPS_PER_FILE = 3_000_000
COMPARISON_SECONDS = 10.0
_COMPARISON_MEGABYTES = 256
_MAX_COMPARISON_SECONDS = 60
_MAX_COMPARISON_MEGABYTES = 1_024
# Parsing and reading one megabyte of tests takes half of this.
_SECONDS_PER_MB = 30
_MEMORY_PER_MB = 150
_STEPS_BETWEEN_CHECKS = 4_096
_PAGE = 4_096
_SECONDS_BETWEEN_CHECKS = 0.2


class LimitExceeded(Exception):  # noqa: N818  reads as what happened
    """A comparison takes too much time or memory; `path` is the file read last."""

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(f"{reason} (last read: `{path}`)" if path else reason)
        self.path = path


class TooManySteps(LimitExceeded):
    """One file takes too many steps; the others can still be read."""


class _StepCounter:
    def __init__(self, most: int) -> None:
        self.remaining = most
        self.next_check = most - _STEPS_BETWEEN_CHECKS


class ComparisonLimit:
    """A limit of processor time, which other programs do not use up, and of memory.

    Both limits grow with the size of the files that are read, up to a maximum.
    """

    def __init__(self, seconds: float, megabytes: float) -> None:
        self.began = time.process_time()
        self.memory_before = _read_memory()
        self.seconds = seconds
        self.megabytes = megabytes
        self.path = ""
        self.read_paths: set[str] = set()

    def extend_for(self, path: str, size: int) -> None:
        if path not in self.read_paths:
            self.read_paths.add(path)
            size_mb = size / 1_000_000
            self.seconds = _grow(self.seconds, size_mb * _SECONDS_PER_MB, _MAX_COMPARISON_SECONDS)
            self.megabytes = _grow(
                self.megabytes, size_mb * _MEMORY_PER_MB, _MAX_COMPARISON_MEGABYTES
            )

    def check(self) -> None:
        if time.process_time() - self.began >= self.seconds:
            raise LimitExceeded(
                f"it takes more than {self.seconds:.0f} s of processor time", self.path
            )
        if _read_memory() - self.memory_before > self.megabytes:
            raise LimitExceeded(f"it takes more than {self.megabytes:.0f} MB of memory", self.path)


def _grow(current: float, growth: float, most: float) -> float:
    return max(current, min(current + growth, most))


def _read_memory() -> float:
    """Return the megabytes in use, or the peak where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return _read_peak_memory()
    return pages * _PAGE / 1_048_576


def _read_peak_memory() -> float:
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1_048_576 if sys.platform == "darwin" else 1_024)


_steps: ContextVar[_StepCounter | None] = ContextVar("steps", default=None)
_limit: ContextVar[ComparisonLimit | None] = ContextVar("limit", default=None)


def count_steps(steps: int = 1) -> None:
    """Count work done for the file that is being read; raise TooManySteps at the limit."""
    counter = _steps.get()
    if counter is None:
        return
    counter.remaining -= steps
    if counter.remaining < 0:
        raise TooManySteps("it takes too many steps")
    if counter.remaining < counter.next_check:
        counter.next_check = counter.remaining - _STEPS_BETWEEN_CHECKS
        check_limits()


def check_limits() -> None:
    limit = _limit.get()
    if limit is not None:
        limit.check()


def begin_file(path: str, size: int) -> None:
    """Note that this file is read next and extend the limits by its size in bytes."""
    limit = _limit.get()
    if limit is not None:
        limit.path = path
        limit.check()
        limit.extend_for(path, size)


def get_last_read_path() -> str:
    """Return the file read last, to name it in a message."""
    limit = _limit.get()
    return limit.path if limit is not None else ""


@contextmanager
def limit_steps(most: int = MAX_STEPS_PER_FILE) -> Iterator[None]:
    """Raise TooManySteps inside as soon as `count_steps` exceeds the limit."""
    token = _steps.set(_StepCounter(most))
    try:
        yield
    finally:
        _steps.reset(token)


@contextmanager
def limit_time(
    seconds: float = COMPARISON_SECONDS, megabytes: float = _COMPARISON_MEGABYTES
) -> Iterator[ComparisonLimit]:
    """Raise LimitExceeded inside as soon as time or memory are used up."""
    limit = ComparisonLimit(seconds, megabytes)
    token = _limit.set(limit)
    try:
        with _check_periodically(limit.check):
            yield limit
    finally:
        _limit.reset(token)


@contextmanager
def _check_periodically(check: Callable[[], None]) -> Iterator[None]:
    """Check by a timer where the system has one; elsewhere only `count_steps` and reading do."""
    if not hasattr(signal, "setitimer") or threading.current_thread() != threading.main_thread():
        yield
        return

    def check_on_signal(_signal: int, _frame: object) -> None:
        try:
            check()
        except LimitExceeded:
            # A second exception could interrupt the handling of the first.
            signal.setitimer(signal.ITIMER_PROF, 0)
            raise

    previous = signal.signal(signal.SIGPROF, check_on_signal)
    signal.setitimer(signal.ITIMER_PROF, _SECONDS_BETWEEN_CHECKS, _SECONDS_BETWEEN_CHECKS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
