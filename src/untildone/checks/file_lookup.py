"""Where a file lies that a tool named without its folder, as `go test` and traces of Java do."""

import posixpath
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

from untildone.worktree.files import listed


def make_file_lookup(project: Path, folder: str) -> Callable[[str], str]:
    """From a name to the path of the only such file below the folder; else as it was said."""

    @cache
    def files() -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in listed(project):
            if path.is_relative_to(folder):
                found[path.name].append(path.as_posix())
        return found

    def find(name: str) -> str:
        said = posixpath.join(folder, name)
        same = files().get(name, [])
        return same[0] if len(same) == 1 and said not in same else said

    return find
