"""Finds changed files for servers, which leave the watching of files to their client."""

from itertools import islice
from pathlib import Path
from typing import TypeAlias

from untildone.checks.file_stamp import read_stamp
from untildone.worktree.listing import list_files

# FileChangeType of the specification.
CREATED, CHANGED, DELETED = 1, 2, 3
MOST_FILES = 20_000

_Stamps: TypeAlias = dict[Path, tuple[int, ...]]


class Watch:
    """The stamps of a project's files at the last look; of a large tree only the first files."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._stamps = self._read_stamps()

    def find_changes(self) -> list[tuple[Path, int]]:
        """Return the changed files since the last call, each with its FileChangeType."""
        before, self._stamps = self._stamps, self._read_stamps()
        kinds = [(path, _compare(before, self._stamps, path)) for path in before | self._stamps]
        return [(path, kind) for path, kind in kinds if kind]

    def _read_stamps(self) -> _Stamps:
        paths = (self._project / path for path in islice(list_files(self._project), MOST_FILES))
        return {path: stamp for path in paths if (stamp := read_stamp(path))}


def _compare(before: _Stamps, after: _Stamps, path: Path) -> int:
    if path not in before:
        return CREATED
    if path not in after:
        return DELETED
    return CHANGED if before[path] != after[path] else 0
