"""A file lock that the kernel releases when its holder dies."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from untildone.store.durable_files import open_own

_FIRST_PAUSE = 0.002
_LONGEST_PAUSE = 0.05


class LockTimeoutError(Exception):
    """Another process held the lock until the deadline."""


if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int) -> bool:
        """Say whether we have the lock now; False if another holder has it."""
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Say whether we have the lock now; False if another holder has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def hold_lock(
    path: Path, *, timeout: float, gives_up: Callable[[], bool] = lambda: False
) -> Iterator[None]:
    """Hold the lock; raise LockTimeoutError if another process has it until the deadline.

    The error comes earlier if `gives_up` returns True.
    """
    deadline = time.monotonic() + timeout
    pause = _FIRST_PAUSE
    # Polled, because a blocking flock has no timeout.
    while (descriptor := _try_acquire(path)) is None:
        if time.monotonic() >= deadline or gives_up():
            raise LockTimeoutError(
                f"`{path.name}` of `{path.parent.name}` is held by another process"
            )
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)
    try:
        yield
    finally:
        os.close(descriptor)


def _try_acquire(path: Path) -> int | None:
    """Return the descriptor that holds the lock; None if it is taken or the file was replaced."""
    descriptor = open_own(path, os.O_RDWR | os.O_CREAT)
    is_ours = False
    try:
        # Holders of a deleted lock file and of its replacement would not exclude each other.
        is_ours = try_lock(descriptor) and os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        pass
    finally:
        if not is_ours:
            os.close(descriptor)
    return descriptor if is_ours else None
