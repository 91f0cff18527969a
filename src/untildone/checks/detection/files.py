"""Finds files by name, outside of folders that the project did not write."""

import os
from collections.abc import Iterator
from pathlib import Path

_FOREIGN_FOLDERS = frozenset(
    ("node_modules", "target", "__pycache__", "venv", "site-packages", "dist", "build", "vendor")
)
_DEEPEST = 5
_MOST_ENTRIES = 20_000


def find_named(project: Path, endings: tuple[str, ...] = (), *, prefix: str = "") -> Iterator[str]:
    """Paths below the project of files with this prefix and one of these endings."""
    seen = 0
    for folder, folders, files in os.walk(project):
        below = Path(folder).relative_to(project)
        seen += len(files) + len(folders)
        if seen > _MOST_ENTRIES:
            return
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _FOREIGN_FOLDERS
            and len(below.parts) < _DEEPEST
        )
        for name in sorted(files):
            if name.endswith(endings) and name.startswith(prefix):
                yield (below / name).as_posix()
