"""Files of a tree by their content; neither git nor time stamps are believed."""

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeVar

from msgspec import Struct

from untildone.core.late_patterns import compile_late
from untildone.words import words
from untildone.worktree import limits

T = TypeVar("T")
READABLE = 4_000_000
# Folders that tools generate; the baseline records further ignored folders.
GENERATED = words(
    "node_modules .venv venv target __pycache__ .git .untildone"
    " .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .nox"
)
# Files that runs leave behind, and links to repositories: no part of the work.
_BYPRODUCT = compile_late(
    r"\.git|\.coverage(\..+)?|\.DS_Store|\.eslintcache|.+\.(pyc|tsbuildinfo|sw[po])"
)


class Entry(Struct, frozen=True, array_like=True):
    """A file or link; `digest` is that of the content, or of the link's target."""

    kind: Literal["file", "program", "link"]
    digest: str
    size: int


class Tree:
    """Files below `root` by path with `/`; each is read, and each fact of it computed, once."""

    def __init__(self, root: Path, entries: Mapping[str, Entry]) -> None:
        self.root = root
        self.entries = entries
        self._texts: dict[str, str] = {}
        self._facts: dict[tuple[object, str], Any] = {}
        # By path: why a file is left unread.
        self.unread: dict[str, str] = {}

    def __contains__(self, path: object) -> bool:
        return path in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def text(self, path: str) -> str:
        """Return the text, of a link that of its target in the tree; empty if it is not read.

        It is not if the file is missing or too large, or if a link leads out of the tree.
        """
        limits.begin_file(path)
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def leave_unread(self, path: str, why: str) -> None:
        """Read the file no longer: its text is empty from now on."""
        self.unread[path] = why
        self._texts[path] = ""
        # A fact may be of several files, joined by NUL, or of the whole tree, with an empty path.
        self._facts = {
            (compute, paths): fact
            for (compute, paths), fact in self._facts.items()
            if paths and path not in paths.split("\0")
        }

    def fact(self, compute: Callable[["Tree", str], T], path: str) -> T:
        """Return what `compute(tree, path)` gives, computed at most once per file and tree."""
        key = (compute, path)
        if key not in self._facts:
            if path in self.entries:
                with limits.count_for_file(path):
                    self._facts[key] = compute(self, path)
            else:
                self._facts[key] = compute(self, path)
        found: T = self._facts[key]
        return found

    def replace_texts(self, texts: Mapping[str, str]) -> "Tree":
        """Return a tree in which these files have other texts."""
        tree = Tree(self.root, self.entries)
        tree._texts = {**self._texts, **texts}
        tree.unread = self.unread
        return tree

    def follow_link(self, path: str) -> str:
        """Return the file that a link leads to, empty if it is none of the tree; else the path."""
        entry = self.entries.get(path)
        if entry is None or entry.kind != "link":
            return path
        target = Path(os.path.realpath(self.root / path))
        root = os.path.realpath(self.root)
        found = target.relative_to(root).as_posix() if target.is_relative_to(root) else ""
        return found if found in self.entries and self.entries[found].kind != "link" else ""

    def _read(self, path: str) -> str:
        path = self.follow_link(path)
        entry = self.entries.get(path)
        if entry is None or entry.size > READABLE:
            return ""
        try:
            return (self.root / path).read_bytes().decode("utf-8", "replace")
        except OSError:
            return ""


class Changes(Struct, frozen=True):
    """What differs between two trees; `moved` has files that only moved, from old to new."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    edited: tuple[str, ...]
    moved: dict[str, str]

    @property
    def edited_or_added(self) -> tuple[str, ...]:
        return (*self.edited, *self.added)

    @property
    def edited_or_removed(self) -> tuple[str, ...]:
        return (*self.edited, *self.removed)

    def list_paths(self) -> set[str]:
        """Return the paths at which the trees differ."""
        moved = (*self.moved, *self.moved.values())
        return {*self.added, *self.removed, *self.edited, *moved}


def read_tree(root: Path, paths: Iterable[str]) -> Tree:
    """Return the tree of those paths that exist."""
    entries = ((path, _read_entry(root / path)) for path in paths)
    return Tree(root, {path: entry for path, entry in entries if entry is not None})


def _read_entry(path: Path) -> Entry | None:
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            target = os.fsencode(path.readlink())
            return Entry("link", hashlib.sha256(target).hexdigest(), len(target))
        if not stat.S_ISREG(status.st_mode):
            return None
        kind: Literal["file", "program"] = "program" if status.st_mode & stat.S_IXUSR else "file"
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return Entry(kind, digest, status.st_size)
    except OSError:
        return None


def walk_files(root: Path, *, ignored: Iterable[str] = ()) -> Iterator[str]:
    """Yield every file that is not in a generated or ignored folder."""
    excluded = {path.rstrip("/") for path in ignored}
    for folder, folders, files in os.walk(root):
        below = Path(folder).relative_to(root).as_posix()
        prefix = "" if below == "." else f"{below}/"
        linked = [name for name in folders if (Path(folder) / name).is_symlink()]
        folders[:] = sorted(
            name
            for name in folders
            if name not in GENERATED and f"{prefix}{name}" not in excluded and name not in linked
        )
        names = (name for name in (*files, *linked) if not _BYPRODUCT.fullmatch(name))
        yield from (f"{prefix}{name}" for name in sorted(names))


def find_changes(old: Tree, new: Tree) -> Changes:
    added = [path for path in new if path not in old]
    removed = [path for path in old if path not in new]
    edited = tuple(path for path in old if path in new and _is_edited(old, new, path))
    added_by_digest = {new.entries[path].digest: path for path in added}
    moved = {
        path: added_by_digest[old.entries[path].digest]
        for path in removed
        if old.entries[path].size and old.entries[path].digest in added_by_digest
    }
    targets = set(moved.values())
    return Changes(
        added=tuple(path for path in added if path not in targets),
        removed=tuple(path for path in removed if path not in moved),
        edited=edited,
        moved=moved,
    )


def _is_edited(old: Tree, new: Tree, path: str) -> bool:
    """Say whether the file differs, or the file of another suffix that a link leads to.

    Where both have one suffix, it is enough to compare the other file.
    """
    entry = new.entries[path]
    if old.entries[path] != entry or entry.kind != "link":
        return old.entries[path] != entry
    target = new.follow_link(path)
    is_disguised = PurePosixPath(target).suffix != PurePosixPath(path).suffix
    return is_disguised and old.entries.get(target) != new.entries.get(target)
