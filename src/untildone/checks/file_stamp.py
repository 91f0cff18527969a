"""Stamps of files, which change when a file is written."""

from pathlib import Path


def read_stamp(path: Path) -> tuple[int, ...]:
    """Modification and change time, size and inode; empty if there is no such file.

    A file may be written twice within one tick of the clock, and npm gives every file the same
    modification time.
    """
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
