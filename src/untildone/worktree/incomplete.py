"""Parts of a tree that git knows of and that are not there: submodules and LFS files."""

import os
from collections.abc import Iterator
from pathlib import Path

from untildone.core.text import pluralize
from untildone.worktree.listing import (
    find_tracking_root,
    list_submodules,
    read_git_entries,
    read_git_output,
)

_POINTER = b"version https://git-lfs.github.com/spec/"
_LFS = b"lfs"


def describe_missing_parts(project: Path) -> Iterator[str]:
    """Yield a line for the user about submodules and LFS files whose content is not there.

    Checks that need them fail for a reason that is not in the code.
    """
    root = find_tracking_root(project)
    if root is None:
        return
    for path in list_submodules(root):
        if not any((root / path).glob("*")):
            yield (
                f"the submodule `{path}` is not checked out, so its files are not checked:"
                f" `git submodule update --init {path}`"
            )
    pointers = list(_find_pointers(root))
    if pointers:
        count = pluralize(len(pointers), "LFS file")
        verb = "is" if len(pointers) == 1 else "are"
        yield f"{count} {verb} not fetched, such as `{pointers[0]}`: `git lfs pull`"


def _find_pointers(root: Path) -> Iterator[str]:
    """Yield the files that LFS manages and of which only the pointer is there."""
    tracked = read_git_entries("ls-files", cwd=root) or b""
    if b".gitattributes" not in tracked:
        return
    answers = read_git_output("check-attr", "--stdin", "-z", "filter", cwd=root, stdin=tracked)
    fields = (answers or b"").split(b"\0")
    for path, value in zip(fields[::3], fields[2::3], strict=False):
        if value == _LFS and _is_pointer(root / os.fsdecode(path)):
            yield os.fsdecode(path)


def _is_pointer(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_POINTER)) == _POINTER
    except OSError:
        return False
