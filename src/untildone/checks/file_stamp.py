"""Stamps of files, which change when a file is written."""

from pathlib import Path


def read_stamp(path: Path) -> tuple[int, ...]:
    """Modification time, size and inode; empty if there is no such file.

    The time alone is not enough, because a file may be written twice within one tick of the clock.
    """
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino
