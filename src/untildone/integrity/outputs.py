"""Leaves out new folders of build output that no file of the project uses.

A `dist/` that a build wrote is no part of the work, unless a test imports something from it.
"""

import re
from collections.abc import Iterable, Iterator

from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_FOLDERS = words("dist build out coverage htmlcov .nyc_output .next .turbo _site storybook-static")
# Python imports these from any folder: `coverage/__init__.py` would replace the tool.
_LOADED = re.compile(r"(?!(.*/)?build/(lib|bdist|temp)[^/]*/).*\.(pyc?|so|pyd|pth)")


def drop_outputs(old: Tree, new: Tree, commands: Iterable[str]) -> Tree:
    """Return the current tree without unused output; all of it if code of the baseline is gone."""
    fresh = {_find_output_folder(path) for path in new} - {"", *map(_find_output_folder, old)}
    removed = (path for path in old if path not in new)
    if not fresh or any(classify_file(path) in ("product", "test") for path in removed):
        return new
    others = [
        path for path in new if _find_output_folder(path) not in fresh or _LOADED.fullmatch(path)
    ]
    texts = [*((text, False) for text in commands), *_read_texts(new, others)]
    unused = {folder for folder in fresh if not _is_used(folder.rpartition("/")[2], texts)}
    kept = {path for path in new if _find_output_folder(path) not in unused}.union(others)
    return Tree(new.root, {path: entry for path, entry in new.entries.items() if path in kept})


def _find_output_folder(path: str) -> str:
    """Return the outermost output folder around the file; empty if there is none."""
    parts = path.split("/")[:-1]
    ends = (end for end, part in enumerate(parts, 1) if part in _FOLDERS)
    return "/".join(parts[: next(ends, 0)])


def _read_texts(tree: Tree, paths: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield texts, and whether they are code: settings name whole folders to exclude them."""
    for path in paths:
        kind = classify_file(path)
        if kind != "document":
            yield tree.text(path), kind in ("product", "test")


def _is_used(name: str, texts: Iterable[tuple[str, bool]]) -> bool:
    """`import '../dist/a.js'`, `join(here, 'dist')`, `from build.lib import a`"""
    word = rf"(?<![\w-]){re.escape(name)}"
    inside = re.compile(rf"{word}/[^\s'\"`,*)\]]")
    folder = re.compile(rf"{word}/?['\"`]|\b(from|import)\s+{re.escape(name)}\b")
    return any(inside.search(text) or (code and folder.search(text)) for text, code in texts)
