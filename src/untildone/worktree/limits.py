"""The budget of one comparison: how much time and memory reading and comparing files may take.

A file that takes too much by itself raises `FileTooCostly` and is left unread; the others can still
be read. `LimitExceeded` means that the budget as a whole is used up.
"""

import math
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

from untildone.core.late_patterns import compile_late

MAX_STEPS_PER_FILE = 3_000_000
BUDGET_SECONDS = 10.0
BUDGET_MEGABYTES = 256.0
# Beyond any count: only the budget limits what is counted.
UNLIMITED = sys.maxsize
# What one file may take of the time, and of the memory once it is parsed.
_FILE_SECONDS = 2.5
_FILE_MEGABYTES = 80.0
# What syntax trees take for each token: Python's own of `0, 0, 0`, and any other one.
PYTHON_MEGABYTES = 0.000_5
SYNTAX_MEGABYTES = 0.000_25
_TOKEN = compile_late(r"\w+|[^\w\s]")
# Of a shorter text each character is taken for a token.
_COUNTED_LENGTH = 50_000
_STEPS_BETWEEN_CHECKS = 4_096
_PAGE = 4_096
_SECONDS_BETWEEN_CHECKS = 0.05
# Files that take less in all are not counted one by one: asking the system takes longer.
_MOMENT = 0.001
# As long as handling an error takes at most.
_SECONDS_AFTER_ERROR = 0.5
# As long as code that is not ours goes on before it is interrupted: half a second.
_MAX_FOREIGN_TICKS = 10


class LimitExceeded(Exception):  # noqa: N818  reads as what happened
    """A comparison takes too much time or memory; `path` is the file read last."""

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(f"{reason} (last read: `{path}`)" if path else reason)
        self.path = path
        self.reason = reason


class FileTooCostly(LimitExceeded):
    """One file takes too much; the others can still be read."""


class TooManySteps(FileTooCostly):
    """One file takes too many steps."""


class _StepCounter:
    def __init__(self, most: int) -> None:
        self.remaining = most
        self.next_check = most - _STEPS_BETWEEN_CHECKS


class Budget:
    """The processor time and memory of one comparison, and what each file took of the time.

    Other programs and threads do not use it up.
    """

    def __init__(
        self, seconds: float = BUDGET_SECONDS, megabytes: float = BUDGET_MEGABYTES
    ) -> None:
        self.seconds = seconds
        self.megabytes = megabytes
        self.path = ""
        self._spent = 0.0
        self._held = 0.0
        self._spent_on: defaultdict[str, float] = defaultdict(float)
        # While it is used: the time it was counted last, memory before, the part that may be used.
        self._counted_at = 0.0
        self._checked_at = 0.0
        self._memory_before = 0.0
        self._share = 1.0

    @contextmanager
    def use(self, *, share: float = 1.0) -> Iterator[None]:
        """Raise LimitExceeded inside as soon as this share of the time, or the memory, is used.

        Inside of another use of it nothing changes.
        """
        if _budget.get() is self:
            yield
            return
        self._share, self._counted_at = share, time.thread_time()
        self._memory_before = _read_memory() - self._held
        token = _budget.set(self)
        try:
            self.check()
            with _check_periodically(self.check):
                yield
        finally:
            _budget.reset(token)
            self._count_time()
            self._held = max(0.0, _read_memory() - self._memory_before)

    def check(self) -> None:
        """Raise an error if the time or the memory is used up, by one file or by all."""
        self._count_time()
        self._checked_at = time.monotonic()
        if self._spent >= self.seconds * self._share:
            raise LimitExceeded(
                f"it takes more than {self.seconds * self._share:.0f} s of processor time",
                self.path,
            )
        if self._spent_on[self.path] >= _FILE_SECONDS and self.path:
            raise FileTooCostly(f"takes more than {_FILE_SECONDS:g} s to read", self.path)
        if self._measure_memory() > self.megabytes:
            reason = f"takes more than {self.megabytes:.0f} MB of memory"
            raise FileTooCostly(reason, self.path) if self.path else LimitExceeded(f"it {reason}")

    def lend(self, seconds: float) -> "Budget":
        """Return a budget for another thread: at most these seconds, which are missing here."""
        seconds = max(0.0, min(seconds, self.seconds - self._spent))
        self._spent += seconds
        return Budget(seconds, self.megabytes)

    def take_back(self, lent: "Budget") -> None:
        """Add again what is left of a budget that was lent."""
        self._spent -= max(0.0, lent.seconds - lent._spent)

    def begin_file(self, path: str) -> str:
        """Count what follows for this file; return the file that it was counted for before."""
        if self._is_due():
            self.check()
        previous, self.path = self.path, path
        return previous

    def end_file(self, previous: str) -> None:
        """Count what follows for the file before again."""
        if self._is_due():
            self._count_time()
        self.path = previous

    def leave_unread(self, path: str) -> None:
        """Blame the file for nothing any more: it is not read again."""
        self.path = ""
        self._spent_on[path] = -math.inf

    def reserve(self, text: str, *, per_token: float) -> None:
        """Raise FileTooCostly if the text, once it is parsed, takes too much memory."""
        self.check()
        needed = _count_tokens(text) * per_token
        room = self.megabytes - self._measure_memory()
        if needed > min(room, _FILE_MEGABYTES):
            raise FileTooCostly(f"takes about {needed:.0f} MB to parse", self.path)

    def _is_due(self) -> bool:
        return time.monotonic() - self._checked_at >= _MOMENT

    def _count_time(self) -> None:
        now = time.thread_time()
        self._spent += now - self._counted_at
        self._spent_on[self.path] += now - self._counted_at
        self._counted_at = now

    def _measure_memory(self) -> float:
        return _read_memory() - self._memory_before


def _count_tokens(text: str) -> int:
    """Return how many tokens the text has at most."""
    if len(text) <= _COUNTED_LENGTH:
        return len(text)
    return sum(1 for _ in _TOKEN.finditer(text))


def _read_memory() -> float:
    """Return the megabytes in use, or the peak where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123  read very often
            pages = int(file.read().split()[1])
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
_budget: ContextVar[Budget | None] = ContextVar("budget", default=None)


def count_steps(steps: int = 1) -> None:
    """Count work done for the file that is being read; raise TooManySteps at the limit."""
    counter = _steps.get()
    if counter is None:
        return
    counter.remaining -= steps
    if counter.remaining < 0:
        raise TooManySteps("takes too many steps to read", get_last_read_path())
    if counter.remaining < counter.next_check:
        counter.next_check = counter.remaining - _STEPS_BETWEEN_CHECKS
        budget = _budget.get()
        if budget is not None:
            budget.check()


@contextmanager
def count_for_file(path: str) -> Iterator[None]:
    """Count what is done inside for this file."""
    budget = _budget.get()
    if budget is None:
        yield
        return
    previous = budget.begin_file(path)
    try:
        yield
    except RecursionError as error:
        raise FileTooCostly("is nested too deep", path) from error
    except MemoryError as error:
        raise FileTooCostly("takes too much memory", path) from error
    # Behind an error the file stays the one that was read last.
    budget.end_file(previous)


def begin_file(path: str) -> None:
    """Count what follows for this file, until another one is read."""
    budget = _budget.get()
    if budget is not None:
        budget.begin_file(path)


def reserve(text: str, *, per_token: float) -> None:
    """Raise FileTooCostly if too little memory is left to parse the text."""
    budget = _budget.get()
    if budget is not None:
        budget.reserve(text, per_token=per_token)


def get_last_read_path() -> str:
    """Return the file read last, to name it in a message."""
    budget = _budget.get()
    return budget.path if budget is not None else ""


@contextmanager
def limit_steps(most: int = MAX_STEPS_PER_FILE) -> Iterator[None]:
    """Raise TooManySteps inside as soon as `count_steps` exceeds the limit."""
    token = _steps.set(_StepCounter(most))
    try:
        yield
    finally:
        _steps.reset(token)


class _TimerCheck:
    """Checks at every tick of a timer and raises the error in code of ours.

    Code of others may hold a lock at that moment and would never release it, such as coverage's
    when it sees a file for the first time. It is interrupted only if it goes on for long.
    """

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check
        self._ticks_left = _MAX_FOREIGN_TICKS
        self.is_over = False

    def handle_signal(self, _signal: int, frame: FrameType | None) -> None:
        if self.is_over:
            return
        try:
            self._check()
        except LimitExceeded:
            if not _is_own_code(frame) and self._ticks_left > 0:
                self._ticks_left -= 1
                return
            self._ticks_left = _MAX_FOREIGN_TICKS
            # At once, a second error could interrupt the handling of the first. Later there has to
            # be one: the first is lost where a destructor or a callback was interrupted.
            signal.setitimer(signal.ITIMER_PROF, _SECONDS_AFTER_ERROR, _SECONDS_BETWEEN_CHECKS)
            raise


def _is_own_code(frame: FrameType | None) -> bool:
    return frame is not None and frame.f_globals.get("__name__", "").startswith("untildone.")


@contextmanager
def _check_periodically(check: Callable[[], None]) -> Iterator[None]:
    """Check by a timer where the system has one; elsewhere only `count_steps` and reading do."""
    if not hasattr(signal, "setitimer") or threading.current_thread() != threading.main_thread():
        yield
        return
    timer_check = _TimerCheck(check)
    previous = signal.signal(signal.SIGPROF, timer_check.handle_signal)
    signal.setitimer(signal.ITIMER_PROF, _SECONDS_BETWEEN_CHECKS, _SECONDS_BETWEEN_CHECKS)
    try:
        yield
    finally:
        timer_check.is_over = True
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
