"""The identity of a tree by its content alone: a commit or a touched file does not change it."""

import hashlib
import os
import stat
from pathlib import Path

from msgspec import Struct

from untildone.worktree.files import (
    find_tracking_root,
    find_worktree_root,
    read_git_entries,
    walk_unignored_files,
)

_CHUNK = 1_048_576
_LARGE = 1_000_000
_STATUS = ("status", "--porcelain=v2", "--untracked-files=all", "--no-renames")
# How many blanks stand before the path, by the first character of an entry.
_SUBMODULE = b"160000 "
_FIELDS = {b"1": 8, b"u": 10, b"?": 1}


class Content(Struct, frozen=True):
    """Two identities: of all files that git would not ignore, and of those it has on record."""

    whole: str
    recorded: str


def fingerprint_contents(project: Path) -> Content:
    return _content(find_tracking_root(project), project, frozenset())


def _content(root: Path | None, project: Path, above: frozenset[Path]) -> Content:
    """`above` are the repositories this one lies in, so that none is entered twice."""
    index = read_git_entries("ls-files", "-s", cwd=root) if root else None
    status = read_git_entries(*_STATUS, cwd=root) if root else None
    if root is None or index is None or status is None:
        files = {
            os.fsencode(path): _walked(project / path) for path in walk_unignored_files(project)
        }
        return Content(_digest(files), "")
    known = _known(index)
    now = known | _changed(status, root)
    now |= _submodules(known, root, above | {root})
    return Content(_digest(now), _digest({path: now[path] for path in known}))


def fingerprint_tree(project: Path) -> str:
    """Equal for equal content of all files that git would not ignore."""
    return fingerprint_contents(project).whole


def _digest(files: dict[bytes, bytes]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files):
        if files[path] and b".untildone" not in path.split(b"/"):
            digest.update(path + b"\0" + files[path] + b"\0")
    return digest.hexdigest()


def _known(index: bytes) -> dict[bytes, bytes]:
    """Path to mode and blob, as git knows them."""
    known = {}
    for entry in index.split(b"\0"):
        fields, _, path = entry.partition(b"\t")
        if path:
            mode, blob, _stage = fields.split(b" ")
            known[path] = mode + b" " + blob
    return known


def _changed(status: bytes, root: Path) -> dict[bytes, bytes]:
    """What is in the files that differ from the index, or are not in it."""
    changed = {}
    for entry in status.split(b"\0"):
        blanks = _FIELDS.get(entry[:1])
        if blanks:
            path = entry.split(b" ", blanks)[-1]
            changed[path] = _blob(root / os.fsdecode(path)) or _folder(entry, root, path)
    return changed


def _submodules(
    known: dict[bytes, bytes], root: Path, above: frozenset[Path]
) -> dict[bytes, bytes]:
    """What is in the submodules that are there: git itself is kept from looking into them."""
    inner = {}
    for path in (path for path, entry in known.items() if entry.startswith(_SUBMODULE)):
        folder = root / os.fsdecode(path)
        if folder.is_dir() and find_worktree_root(folder) == folder.resolve() not in above:
            inner[path] = _SUBMODULE + _content(folder.resolve(), folder, above).whole.encode()
    return inner


def _folder(entry: bytes, root: Path, path: bytes) -> bytes:
    """A repository that is new there is told by its status; what is gone has no content."""
    return entry if (root / os.fsdecode(path)).is_dir() else b""


def _walked(path: Path) -> bytes:
    """Outside git anything may lie about: what is large is told by its size and time."""
    try:
        status = path.lstat()
    except OSError:
        return b""
    if status.st_size <= _LARGE:
        return _blob(path)
    return f"{status.st_mode} {status.st_size} {status.st_mtime_ns}".encode()


def _blob(path: Path) -> bytes:
    """Mode and blob as git would name them; nothing for what is no file."""
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            return b"120000 " + _hashed(os.fsencode(path.readlink()))
        if not stat.S_ISREG(status.st_mode):
            return b""
        mode = b"100755 " if status.st_mode & stat.S_IXUSR else b"100644 "
        return mode + _hashed_file(path, status.st_size)
    except OSError:
        return b""


def _hashed(data: bytes) -> bytes:
    named = b"blob %d\0" % len(data) + data
    return hashlib.sha1(named, usedforsecurity=False).hexdigest().encode()


def _hashed_file(path: Path, size: int) -> bytes:
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with path.open("rb") as file:
        while part := file.read(_CHUNK):
            digest.update(part)
    return digest.hexdigest().encode()
