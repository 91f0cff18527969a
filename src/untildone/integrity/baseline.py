"""Saves and loads the baseline of a loop: every file's content and the environment of the checks.

It is saved when the loop starts: the files in `tree/`, and `start.json`, the record of them. The
record's digest, which the caller keeps, shows whether somebody changed it since.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.worktree.contents import Entry, Tree, read_tree, walk_files

# Files of ignored folders, such as `node_modules`, whose stamps are recorded.
_MAX_DEPENDENCIES = 300_000
MAX_FILES = 50_000
MAX_BYTES = 2_000_000_000
_RECORD = "start.json"
_FILES = "tree"
# A file was deleted meanwhile, or has no content that can be read, such as a pipe.
_UNREADABLE = (FileNotFoundError, PermissionError, NotADirectoryError, shutil.SpecialFileError)

# Size, modification time and change time of a file; no program can set the last one.
Stamp = tuple[int, int, int]


class BaselineTooLargeError(Exception):
    """The project is too large to be copied."""


class Baseline(Struct, frozen=True, kw_only=True):
    """The record of a baseline: what the project and its environment were like."""

    entries: dict[str, Entry]
    # Folders of which no file was copied, such as `node_modules`, and the stamps of their files.
    ignored: tuple[str, ...] = ()
    dependencies: dict[str, Stamp] = {}
    # Facts about programs, settings and packages outside of the project, by name.
    surroundings: dict[str, str] = {}
    # Environment variables that steer the tools.
    variables: dict[str, str] = {}


def save_baseline(
    project: Path,
    folder: Path,
    *,
    ignored: Iterable[str],
    surroundings: Mapping[str, str],
    variables: Mapping[str, str],
) -> str:
    """Copy the files into `folder` and record them; return the SHA-256 of the record."""
    files = folder / _FILES
    files.mkdir(parents=True, mode=0o700)
    folders = tuple(sorted(ignored))
    size = 0
    for number, path in enumerate(walk_files(project, ignored=folders), 1):
        with suppress(OSError):
            size += (project / path).lstat().st_size
        if number > MAX_FILES or size > MAX_BYTES:
            raise BaselineTooLargeError(f"more than {MAX_FILES} files or {MAX_BYTES // 10**9} GB")
        target = files / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(*_UNREADABLE):
            shutil.copy(project / path, target, follow_symlinks=False)
    baseline = Baseline(
        entries=dict(read_tree(files, walk_files(files)).entries),
        ignored=folders,
        dependencies=dict(read_stamps(project, folders)),
        surroundings=dict(surroundings),
        variables=dict(variables),
    )
    data = msgspec.json.encode(baseline)
    (folder / _RECORD).write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def read_stamps(project: Path, folders: Iterable[str]) -> Iterator[tuple[str, Stamp]]:
    """Yield the stamp of every file in the folders, up to a limit."""
    count = 0
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
                count += 1
                if count >= _MAX_DEPENDENCIES:
                    return


def load_baseline(folder: Path, digest: str) -> tuple[Baseline, Tree]:
    """Return the record and the files; raise ValueError if they are not what was saved."""
    try:
        data = (folder / _RECORD).read_bytes()
    except FileNotFoundError:
        raise ValueError("the saved files of the baseline are gone") from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise ValueError("the record of the baseline was changed")
    try:
        baseline = msgspec.json.decode(data, type=Baseline)
    except msgspec.DecodeError as error:
        raise ValueError(f"the record of the baseline is damaged: {error}") from None
    tree = read_tree(folder / _FILES, baseline.entries)
    if dict(tree.entries) != baseline.entries:
        raise ValueError("the saved files of the baseline were changed")
    return baseline, tree


def delete_baseline_files(folder: Path) -> None:
    """Delete the copied files of a loop that has ended; their record stays."""
    shutil.rmtree(folder / _FILES, ignore_errors=True)


def read_baseline_time(folder: Path) -> float:
    """Return when the baseline was saved: later changes were made while the loop ran."""
    return (folder / _RECORD).stat().st_mtime
