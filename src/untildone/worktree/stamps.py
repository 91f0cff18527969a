"""Stamps of files: what tells, without reading it, whether a file was changed or replaced."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from untildone.worktree.limits import count_steps

# Size, modification time, change time and inode of a file; no program can set the last two.
Stamp = tuple[int, int, int, int]
# Files of folders such as `node_modules` whose stamps are read.
_MAX_FILES = 300_000


def read_stamp(path: Path | str) -> Stamp | None:
    """Return the stamp of a file or link itself; None if there is none."""
    try:
        # A path object would cost more than the call itself.
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def read_stamps(top: Path, folders: Iterable[str]) -> Iterator[tuple[str, Stamp]]:
    """Yield the stamp of every file in the folders below `top`, by path from there, up to a limit.

    A folder that is a link is one file.
    """
    return islice((found for folder in folders for found in _walk(top, folder)), _MAX_FILES)


def _walk(top: Path, start: str) -> Iterator[tuple[str, Stamp]]:
    """Yield the files below a folder, with their stamps."""
    # Texts, as a path object for each folder would take most of the time.
    first = (top / start).relative_to(top).as_posix()
    waiting = ["" if first == "." else f"{first}/"]
    while waiting:
        prefix = waiting.pop()
        try:
            entries = list(os.scandir(f"{top}/{prefix}"))
        except OSError:
            continue
        count_steps(len(entries))
        for entry in entries:
            if _is_folder(entry):
                waiting.append(f"{prefix}{entry.name}/")
            elif stamp := read_stamp(entry.path):
                yield f"{prefix}{entry.name}", stamp


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
