"""Finds a file that a tool names without its folder, as `go test` and Java stack traces do."""

import posixpath
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

from untildone.worktree.files import list_files


def make_file_lookup(project: Path, folder: str) -> Callable[[str], str]:
    """A function from a name to the path of the only file of that name below the folder.

    Without such a file, or with several, the path is the name in the folder itself.
    """

    @cache
    def files() -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in list_files(project):
            if path.is_relative_to(folder):
                found[path.name].append(path.as_posix())
        return found

    def find(name: str) -> str:
        direct = posixpath.join(folder, name)
        same = files().get(name, [])
        return same[0] if len(same) == 1 and direct not in same else direct

    return find
