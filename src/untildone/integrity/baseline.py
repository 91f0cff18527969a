"""The start of a loop kept whole: every file's content and what surrounds the checks."""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.worktree.contents import Entry, Tree, read_tree, walk_files

_MOST_DEPENDENCIES = 300_000
MAX_FILES = 50_000
MAX_BYTES = 2_000_000_000
_RECORD = "start.json"
_FILES = "tree"

# Size, time of change of the content, time of change of anything: the last cannot be set by hand.
Stamp = tuple[int, int, int]


class BaselineTooLargeError(Exception):
    """More than is worth a copy."""


class Baseline(Struct, frozen=True, kw_only=True):
    """`ignored` are folders left out as a whole; of their files only the stamps are kept."""

    entries: dict[str, Entry]
    ignored: tuple[str, ...] = ()
    dependencies: dict[str, Stamp] = {}
    surroundings: dict[str, str] = {}
    # What steers the tools, by the name of the variable.
    variables: dict[str, str] = {}


def save_baseline(
    project: Path,
    folder: Path,
    *,
    ignored: Iterable[str],
    surroundings: Mapping[str, str],
    variables: Mapping[str, str],
) -> str:
    """Copies the files into `folder` and records them; the SHA-256 of the record."""
    files = folder / _FILES
    files.mkdir(parents=True, mode=0o700)
    left_out = tuple(sorted(ignored))
    size = 0
    for number, path in enumerate(walk_files(project, ignored=left_out), 1):
        size += _size(project / path)
        if number > MAX_FILES or size > MAX_BYTES:
            raise BaselineTooLargeError(f"more than {MAX_FILES} files or {MAX_BYTES // 10**9} GB")
        _copy(project / path, files / path)
    start = Baseline(
        entries=dict(read_tree(files, walk_files(files)).entries),
        ignored=left_out,
        dependencies=dict(read_stamps(project, left_out)),
        surroundings=dict(surroundings),
        variables=dict(variables),
    )
    data = msgspec.json.encode(start)
    (folder / _RECORD).write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copy(source, target, follow_symlinks=False)
    except (FileNotFoundError, PermissionError, NotADirectoryError, shutil.SpecialFileError):
        # Deleted meanwhile, not ours to read, or a pipe: no content of the tree.
        return


def read_stamps(project: Path, folders: Iterable[str]) -> Iterator[tuple[str, Stamp]]:
    """Of every file in the folders, as far as anybody could go through them."""
    seen = 0
    for top in folders:
        for folder, _, files in os.walk(project / top):
            for name in files:
                path = Path(folder) / name
                try:
                    status = path.lstat()
                except OSError:
                    continue
                stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
                yield path.relative_to(project).as_posix(), stamp
                seen += 1
                if seen >= _MOST_DEPENDENCIES:
                    return


def load_baseline(folder: Path, digest: str) -> tuple[Baseline, Tree]:
    """The record and the files; ValueError if they are not what was kept."""
    try:
        data = (folder / _RECORD).read_bytes()
    except FileNotFoundError:
        raise ValueError("the files kept of the start are gone") from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise ValueError("the record of the start was changed")
    try:
        start = msgspec.json.decode(data, type=Baseline)
    except msgspec.DecodeError as error:
        raise ValueError(f"the record of the start is damaged: {error}") from None
    tree = read_tree(folder / _FILES, start.entries)
    if dict(tree.entries) != start.entries:
        raise ValueError("the files kept of the start were changed")
    return start, tree


def delete_baseline_files(folder: Path) -> None:
    """The copy of a loop that has ended is of no more use; its record stays."""
    shutil.rmtree(folder / _FILES, ignore_errors=True)


def read_baseline_time(folder: Path) -> float:
    """When the start was kept: what changed later was changed while the loop ran."""
    return (folder / _RECORD).stat().st_mtime
