"""Ignored and generated folders of the project: what a sandbox gets of them.

Dependencies (`node_modules`, a virtual environment) are lent as they are now; comparisons judge
what changed in them. Other folders are lent as they were in the baseline: small ones were saved
then, of large ones the files that did not change are lent. A new folder, such as a `generated/`
that the agent has written, is left out: whoever needs it must be able to make it again.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from untildone.sandbox.sandbox_source import SandboxSource
from untildone.words import words
from untildone.worktree.contents import GENERATED
from untildone.worktree.stamps import Stamp, read_stamps

# Caches of earlier runs and git's records are not taken along: the agent could have edited them.
_LEFT_BEHIND = words(
    "__pycache__ .git .untildone .pytest_cache .mypy_cache .ruff_cache .hypothesis"
)
_PACKAGES = "node_modules"
_ENVIRONMENT_FILE = "pyvenv.cfg"


class LentFolder(Struct, frozen=True, kw_only=True):
    """A folder of the project by its path, where it is taken from, and files hidden in it."""

    path: str
    source: Path
    hidden: tuple[str, ...] = ()


def lends_current_files(source: SandboxSource) -> bool:
    """Say whether files of the project's own folders are lent that its checks may change."""
    return any(
        folder.source == source.project / folder.path and not is_dependency(folder.source)
        for folder in find_lent_folders(source)
    )


def find_lent_folders(source: SandboxSource) -> Iterator[LentFolder]:
    """Yield the ignored and generated folders that a sandbox gets."""
    known = _list_known_folders(source)
    for path in walk_ignored_folders(source.project, source.ignored):
        folder = source.project / path
        if is_dependency(folder):
            yield LentFolder(path=path, source=folder)
        elif source.saved_folders and (source.saved_folders / path).is_dir():
            yield LentFolder(path=path, source=source.saved_folders / path)
        elif path in known:
            hidden = tuple(_find_changed_files(source.project, path, source.stamps))
            yield LentFolder(path=path, source=folder, hidden=hidden)


def is_dependency(folder: Path) -> bool:
    """Say whether installers write the folder: packages of Node or an environment of Python."""
    return folder.name == _PACKAGES or (folder / _ENVIRONMENT_FILE).exists()


def walk_ignored_folders(project: Path, ignored: tuple[str, ...]) -> Iterator[str]:
    """Yield the outermost ignored and generated folders, without caches of runs."""
    names = {path.rstrip("/") for path in ignored}
    for folder, folders, _ in os.walk(project):
        below = Path(folder).relative_to(project).as_posix()
        prefix = "" if below == "." else f"{below}/"
        to_search: list[str] = []
        for name in sorted(folders):
            if f"{prefix}{name}" not in names and name not in GENERATED:
                to_search.append(name)
            elif name not in _LEFT_BEHIND:
                yield f"{prefix}{name}"
        folders[:] = to_search


def _list_known_folders(source: SandboxSource) -> frozenset[str]:
    """Return the folders, and all folders inside, that had files in the baseline."""
    found: set[str] = set()
    for path in source.stamps:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(found)


def _find_changed_files(project: Path, folder: str, stamps: Mapping[str, Stamp]) -> Iterator[str]:
    """Yield the files of the folder that are new or were changed since the baseline."""
    for path, stamp in read_stamps(project, (folder,)):
        if stamps.get(path) != stamp:
            yield path
