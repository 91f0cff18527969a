"""Every loop in memory, for a program that shows them again and again.

A refresh reads only the loops whose files have changed since the last one.
"""

from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from untildone.store.loops import Loops, Record, UnreadableLoop

Entry: TypeAlias = Record | UnreadableLoop
Stamp: TypeAlias = tuple[tuple[int, int, int] | None, ...]
# With every save the state is replaced and the journal grows.
_FILES = ("state.json", "journal.jsonl")


class LoopIndex:
    """`reads` counts how often a loop was read, so that tests can say what a refresh costs."""

    def __init__(self, loops: Loops) -> None:
        self._loops = loops
        self._lock = Lock()
        self._known: dict[str, tuple[Stamp, str, Entry]] = {}
        self.reads = 0

    def list_all(self) -> tuple[Entry, ...]:
        """Return every loop as it is now, the newest first."""
        with self._lock:
            self._known = {name: self._refresh(name) for name in self._loops.list_names()}
            dated = sorted(self._known.values(), key=lambda known: known[1], reverse=True)
        return tuple(entry for _, _, entry in dated)

    def _refresh(self, name: str) -> tuple[Stamp, str, Entry]:
        # Taken first: what changes while the loop is read is read again the next time.
        stamp = take_stamp(self._loops.path / name, _FILES)
        known = self._known.get(name)
        if known and known[0] == stamp:
            return known
        self.reads += 1
        return stamp, *self._loops.load_or_explain(name)


def take_stamp(folder: Path, names: Iterable[str]) -> Stamp:
    """Return a value that changes with the files of these names, without reading them."""
    return tuple(_stat(folder / name) for name in names)


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
