"""A copy of the tree for checks that run while the original changes."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from untildone.worktree.listing import list_files, list_ignored_folders

MAX_FILES = 50_000


class TreeTooLargeError(Exception):
    """The tree has too many files to be copied."""


def copy_tree(source: Path, target: Path) -> None:
    """Copy files that git knows or would add; link ignored folders, such as caches."""
    paths = list_files(source)
    if len(paths) > MAX_FILES:
        raise TreeTooLargeError(f"{len(paths)} files")
    target.mkdir(parents=True)
    for path in paths:
        _copy_file(source / path, target / path)
    for folder in _find_folders_to_link(source, target):
        (target / folder).symlink_to(source / folder, target_is_directory=True)


def _copy_file(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copy2(source, target, follow_symlinks=False)
    except (FileNotFoundError, IsADirectoryError, shutil.SpecialFileError):
        # Deleted meanwhile, a submodule's folder, or a pipe: no content of the tree.
        return


def _find_folders_to_link(source: Path, target: Path) -> Iterator[Path]:
    for folder in list_ignored_folders(source):
        place = target / folder
        if place.parent.is_dir() and not os.path.lexists(place):
            yield folder
