"""Finds changed files for servers, which leave the watching of files to their client."""

from itertools import islice
from pathlib import Path
from typing import TypeAlias

from untildone.worktree.files import list_files

# FileChangeType of the specification.
CREATED, CHANGED, DELETED = 1, 2, 3
MOST_FILES = 20_000

_State: TypeAlias = tuple[int, int, int]


class Watch:
    """Compares the files of a project with the last time; of a large tree only the first."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._seen = self._read_states()

    def find_changes(self) -> list[tuple[Path, int]]:
        before, self._seen = self._seen, self._read_states()
        kinds = [(path, _compare(before, self._seen, path)) for path in before | self._seen]
        return [(path, kind) for path, kind in kinds if kind]

    def _read_states(self) -> dict[Path, _State]:
        paths = (self._project / path for path in islice(list_files(self._project), MOST_FILES))
        return {path: state for path in paths if (state := _read_state(path))}


def _compare(before: dict[Path, _State], after: dict[Path, _State], path: Path) -> int:
    if path not in before:
        return CREATED
    if path not in after:
        return DELETED
    return CHANGED if before[path] != after[path] else 0


def _read_state(path: Path) -> _State | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
