"""Stamps of files, which change when a file is written."""

from pathlib import Path


def read_stamp(path: Path) -> tuple[int, ...]:
    """Return modification and change time, size and inode; empty if there is no such file.

    None of them is enough: a file may be written twice within one tick of the clock, and npm
    gives every file the same modification time.
    """
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
