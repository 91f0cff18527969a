"""A copy of the tree for checks that run while the original changes."""

import os
import shutil
from pathlib import Path

from untildone.worktree.contents import walk_files
from untildone.worktree.listing import list_files, list_ignored_folders

MAX_FILES = 50_000


class TreeTooLargeError(Exception):
    """The tree has too many files to be copied."""


def copy_tree(source: Path, target: Path, *, snapshot: Path | None = None) -> None:
    """Copy files that git knows or would add; link ignored folders, such as caches.

    With a `snapshot` of the project its files are copied instead of the current ones.
    """
    paths = list_files(source) if snapshot is None else list(walk_files(snapshot))
    if len(paths) > MAX_FILES:
        raise TreeTooLargeError(f"{len(paths)} files")
    target.mkdir(parents=True)
    for path in paths:
        copy_file((snapshot or source) / path, target / path)
    for folder in list_ignored_folders(source):
        link = target / folder
        if link.parent.is_dir() and not os.path.lexists(link):
            link.symlink_to(source / folder, target_is_directory=True)


def copy_file(source: Path, target: Path, *, keep_time: bool = True) -> None:
    """Copy a file or link; what has no content, such as a pipe or a deleted file, is skipped."""
    target.parent.mkdir(parents=True, exist_ok=True)
    copy = shutil.copy2 if keep_time else shutil.copy
    try:
        copy(source, target, follow_symlinks=False)
    except (FileNotFoundError, IsADirectoryError, shutil.SpecialFileError):
        # Deleted meanwhile, a submodule's folder, or a pipe: no content of the tree.
        return
