"""The fingerprint of a tree by its content: a commit or a touched file does not change it."""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BufferedReader, BytesIO
from pathlib import Path

from msgspec import Struct

from untildone.worktree import listing

_LARGE = 1_000_000
STATUS = ("status", "--porcelain=v2", "--untracked-files=all", "--no-renames")
_SUBMODULE = b"160000 "
# The number of blanks before the path, by the first character of an entry.
_FIELDS = {b"1": 8, b"u": 10, b"?": 1}


class Contents(Struct, frozen=True, kw_only=True):
    """Mode and blob of each file below `root` that git would not ignore, by path.

    `tracked` are the files that git tracks; outside of git there are none.
    """

    root: Path
    files: dict[bytes, bytes]
    tracked: frozenset[bytes] = frozenset()

    @property
    def all_files(self) -> str:
        """A text that is equal for equal content of all files."""
        return _digest(self.files)

    def hash_without(self, folders: Iterable[Path]) -> str:
        """Return a text that is equal for equal content of all files outside of the folders."""
        root = self.root.resolve()
        left_out = tuple(
            os.fsencode(f"{folder.resolve().relative_to(root).as_posix()}/") for folder in folders
        )
        kept = {path: self.files[path] for path in self.files if not path.startswith(left_out)}
        return _digest(kept)


def read_contents(project: Path) -> Contents:
    """Return the contents of the repository around the project, or of the project outside git."""
    return _read(listing.find_tracking_root(project), project, frozenset())


def _read(root: Path | None, project: Path, above: frozenset[Path]) -> Contents:
    """Return the contents of one repository.

    `above` are the repositories around this one, so that none is entered twice.
    """
    index, status = _ask_git(root) if root else (None, None)
    if root is None or index is None or status is None:
        files = {
            os.fsencode(path): _read_outside_git(project / path)
            for path in listing.walk_unignored_files(project)
        }
        return Contents(root=project, files=files)
    tracked = _parse_index(index)
    current = tracked | _read_changed(status, root)
    current |= _read_submodules(tracked, root, above | {root})
    return Contents(root=root, files=current, tracked=frozenset(tracked))


def _ask_git(root: Path) -> tuple[bytes | None, bytes | None]:
    """Return the index and what differs from it; git is asked for both at once."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        index = pool.submit(listing.read_git_entries, "ls-files", "-s", cwd=root)
        status = listing.read_git_entries(*STATUS, cwd=root)
        return index.result(), status


def fingerprint_tree(project: Path) -> str:
    """Return a text that is equal for equal content of all files that git would not ignore."""
    return read_contents(project).all_files


def _digest(files: dict[bytes, bytes]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files):
        if files[path] and b".untildone" not in path.split(b"/"):
            digest.update(path + b"\0" + files[path] + b"\0")
    return digest.hexdigest()


def _parse_index(index: bytes) -> dict[bytes, bytes]:
    """Return mode and blob of each path, as git knows them."""
    entries = {}
    for entry in index.split(b"\0"):
        fields, _, path = entry.partition(b"\t")
        if path:
            mode, blob, _stage = fields.split(b" ")
            entries[path] = mode + b" " + blob
    return entries


def _read_changed(status: bytes, root: Path) -> dict[bytes, bytes]:
    """Return mode and blob of the files that differ from the index, or are not in it."""
    changed = {}
    for entry, path in parse_status(status):
        file = root / os.fsdecode(path)
        # A new repository is described by its status entry; a removed file has no content.
        changed[path] = _read_blob(file) or (entry if file.is_dir() else b"")
    return changed


def parse_status(status: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield each entry of a changed or new file, and its path."""
    for entry in status.split(b"\0"):
        blanks = _FIELDS.get(entry[:1])
        if blanks:
            yield entry, entry.split(b" ", blanks)[-1]


def _read_submodules(
    tracked: dict[bytes, bytes], root: Path, above: frozenset[Path]
) -> dict[bytes, bytes]:
    """Return the content of the submodules: git itself is kept from looking into them."""
    contents = {}
    for path in (path for path, entry in tracked.items() if entry.startswith(_SUBMODULE)):
        folder = root / os.fsdecode(path)
        if folder.is_dir() and listing.find_worktree_root(folder) == folder.resolve() not in above:
            content = _read(folder.resolve(), folder, above).all_files
            contents[path] = _SUBMODULE + content.encode()
    return contents


def _read_outside_git(path: Path) -> bytes:
    """Return mode and blob; a large file, as any may lie there, is described by size and time."""
    try:
        status = path.lstat()
    except OSError:
        return b""
    if status.st_size <= _LARGE:
        return _read_blob(path)
    return f"{status.st_mode} {status.st_size} {status.st_mtime_ns}".encode()


def _read_blob(path: Path) -> bytes:
    """Return mode and blob as git would name them; empty for what is no file."""
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            target = os.fsencode(path.readlink())
            return b"120000 " + _hash_blob(BytesIO(target), len(target))
        if not stat.S_ISREG(status.st_mode):
            return b""
        mode = b"100755 " if status.st_mode & stat.S_IXUSR else b"100644 "
        with path.open("rb") as file:
            return mode + _hash_blob(file, status.st_size)
    except OSError:
        return b""


def _hash_blob(file: BufferedReader | BytesIO, size: int) -> bytes:
    def begin() -> "hashlib._Hash":
        return hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)

    return hashlib.file_digest(file, begin).hexdigest().encode()
