"""Programs in folders of the search path that the user may write to.

A `node` that is put into `~/.local/bin` while a loop runs would be found before `/usr/bin/node` by
every tool that runs `node`. In a sandbox it is hidden: programs are found there as in the baseline.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from untildone.worktree.stamps import Stamp, read_stamp

_MAX_PROGRAMS = 20_000


def record_programs(environ: Mapping[str, str]) -> dict[str, Stamp]:
    """Return the stamps of the programs, by path, in folders that the user may write to."""
    found: dict[str, Stamp] = {}
    for folder in _list_folders(environ):
        if os.access(folder, os.W_OK):
            for path in _list_programs(folder):
                stamp = read_stamp(path)
                if stamp and len(found) < _MAX_PROGRAMS:
                    found[path] = stamp
    return found


def find_shadowing_programs(
    known: Mapping[str, Stamp], environ: Mapping[str, str]
) -> Iterator[Path]:
    """Yield new programs that are found before one of their name which was there already."""
    folders = list(_list_folders(environ))
    for index, folder in enumerate(folders):
        if not os.access(folder, os.W_OK):
            continue
        for path in _list_programs(folder):
            name = path.rpartition("/")[2]
            later = (Path(other) / name for other in folders[index + 1 :])
            if path not in known and any(other.exists() for other in later):
                yield Path(path)


def _list_folders(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield the folders of the search path, each once and in its order.

    Links are followed: `/bin` is `/usr/bin` on most systems, and shadows nothing there.
    """
    folders = (
        text for text in environ.get("PATH", "").split(os.pathsep) if Path(text).is_absolute()
    )
    yield from dict.fromkeys(map(os.path.realpath, folders))


def _list_programs(folder: str) -> list[str]:
    try:
        return [entry.path for entry in os.scandir(folder) if entry.is_file() or entry.is_symlink()]
    except OSError:
        return []
