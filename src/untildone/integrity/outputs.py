"""Leaves new folders of build output out of the current tree if no file of the project uses them.

A `dist/` that a build wrote is no part of the work, unless a test imports something from it.
"""

import re
from collections.abc import Iterable

from untildone.core.late_patterns import compile_late
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_OUTPUT_NAMES = words(
    "dist build out coverage htmlcov .nyc_output .next .turbo _site storybook-static"
)
# Files that Python can import, which are never left out: `coverage/__init__.py` would replace the
# tool. The copies that setuptools makes in `build/lib/` are not on the import path.
_IMPORTABLE = compile_late(r"(?!(.*/)?build/(lib|bdist|temp)[^/]*/).*\.(pyc?|so|pyd|pth)")


def drop_outputs(old: Tree, new: Tree, commands: Iterable[str]) -> Tree:
    """Return the tree `new` without unused output folders that the baseline `old` did not have.

    All of it is returned if code of the baseline is gone: it may have moved to such a folder.
    `commands` are those of the checks.
    """
    new_folders = {_find_output_folder(path) for path in new} - {"", *map(_find_output_folder, old)}
    removed = (path for path in old if path not in new)
    if not new_folders or any(classify_file(path) in ("product", "test") for path in removed):
        return new
    kept = {
        path
        for path in new
        if _find_output_folder(path) not in new_folders or _IMPORTABLE.fullmatch(path)
    }
    # Each text with whether it is code. Documents may mention a folder without using it.
    texts = [(command, False) for command in commands]
    texts += (
        (new.text(path), role in ("product", "test"))
        for path in kept
        if (role := classify_file(path)) != "document"
    )
    unused = {folder for folder in new_folders if not _is_used(folder.rpartition("/")[2], texts)}
    entries = {
        path: entry
        for path, entry in new.entries.items()
        if path in kept or _find_output_folder(path) not in unused
    }
    return Tree(new.root, entries)


def _find_output_folder(path: str) -> str:
    """Return the outermost output folder around the file; empty if there is none."""
    parts = path.split("/")[:-1]
    ends = (end for end, part in enumerate(parts, 1) if part in _OUTPUT_NAMES)
    return "/".join(parts[: next(ends, 0)])


def _is_used(name: str, texts: Iterable[tuple[str, bool]]) -> bool:
    """Say whether one of the texts uses the folder; each comes with whether it is code.

    `import '../dist/a.js'`, `join(here, 'dist')` and `from build.lib import a` do. Only code may
    name the folder alone: settings do so to exclude it.
    """
    word = rf"(?<![\w-]){re.escape(name)}"
    file_inside = re.compile(rf"{word}/[^\s'\"`,*)\]]")
    folder_alone = re.compile(rf"{word}/?['\"`]|\b(from|import)\s+{re.escape(name)}\b")
    return any(
        file_inside.search(text) or (is_code and folder_alone.search(text))
        for text, is_code in texts
    )
