"""One holder at a time, by a lock that the kernel takes back when its holder dies."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from untildone.store.files import open_own

_FIRST_PAUSE = 0.002
_LONGEST_PAUSE = 0.05


class LockTimeoutError(Exception):
    """Somebody else held the lock until the deadline."""


if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int) -> bool:
        """True if the lock is ours now, False if somebody has it."""
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """True if the lock is ours now, False if somebody has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def hold_lock(path: Path, *, timeout: float) -> Iterator[None]:
    deadline = time.monotonic() + timeout
    descriptor = _acquired(path, deadline)
    while descriptor is None:
        descriptor = _acquired(path, deadline)
    try:
        yield
    finally:
        os.close(descriptor)


def _acquired(path: Path, deadline: float) -> int | None:
    """The descriptor that holds the lock; None if the file was replaced while we waited."""
    descriptor = open_own(path, os.O_RDWR | os.O_CREAT)
    try:
        _wait(descriptor, path, deadline=deadline)
        if _is_still(path, descriptor):
            return descriptor
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _wait(descriptor: int, path: Path, *, deadline: float) -> None:
    # Polling, because a blocking flock knows no deadline.
    pause = _FIRST_PAUSE
    while not try_lock(descriptor):
        if time.monotonic() >= deadline:
            raise LockTimeoutError(
                f"`{path.name}` of `{path.parent.name}` is held by another process"
            )
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


def _is_still(path: Path, descriptor: int) -> bool:
    # A deleted lock file keeps its old holders apart from the new ones: both would go on.
    try:
        return os.path.samestat(path.stat(follow_symlinks=False), os.fstat(descriptor))
    except FileNotFoundError:
        return False
