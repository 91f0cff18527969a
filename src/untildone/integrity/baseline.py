"""Saves and loads the baseline of a loop: every file's content and the environment of the checks.

It is saved when the loop starts: the files in `tree/`, and `start.json`, the record of them. The
record's digest, which the caller keeps, shows whether somebody changed it since.
"""

import hashlib
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.integrity.environment.dependency_digests import (
    DependencyDigests,
    read_digests,
)
from untildone.sandbox.lent_folders import is_dependency, walk_ignored_folders
from untildone.worktree.contents import Entry, Tree, read_tree, walk_files
from untildone.worktree.roles import classify_file
from untildone.worktree.stamps import Stamp, read_stamps

MAX_FILES = 50_000
MAX_BYTES = 2_000_000_000
_RECORD = "start.json"
_FILES = "tree"
_SAVED_FOLDERS = "folders"
# An ignored folder up to this size is copied, so that a sandbox can have it as it was.
_MAX_SAVED_FILES = 2_000
_MAX_SAVED_BYTES = 20_000_000
# The user waits for the start of a loop.
_READING_SECONDS = 1.0
# A file was deleted meanwhile, or has no content that can be read, such as a pipe.
_UNREADABLE = (FileNotFoundError, PermissionError, NotADirectoryError, shutil.SpecialFileError)


class BaselineTooLargeError(Exception):
    """The project is too large to be copied."""


class Baseline(Struct, frozen=True, kw_only=True):
    """The record of a baseline: what the project and its environment were like."""

    entries: dict[str, Entry]
    # Folders of which no file was copied, such as `node_modules`, and the stamps of their files.
    ignored: tuple[str, ...] = ()
    dependencies: dict[str, Stamp] = {}
    # Contents of the packages that the project declares, as far as they could be read in time.
    digests: DependencyDigests = DependencyDigests()
    # Facts about programs, settings and packages outside of the project, by name.
    surroundings: dict[str, str] = {}
    # Environment variables that steer the tools.
    variables: dict[str, str] = {}
    # Stamps of the programs in folders of the search path that the user may write to.
    programs: dict[str, Stamp] = {}


def save_baseline(
    project: Path,
    folder: Path,
    *,
    ignored: Iterable[str],
    surroundings: Mapping[str, str],
    variables: Mapping[str, str],
    programs: Mapping[str, Stamp],
) -> str:
    """Copy the files into `folder` and record them; return the SHA-256 of the record."""
    files = folder / _FILES
    files.mkdir(parents=True, mode=0o700)
    folders = tuple(sorted({*ignored, *walk_ignored_folders(project, tuple(ignored))}))
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
    stamps = dict(read_stamps(project, folders))
    baseline = Baseline(
        entries=dict(read_tree(files, walk_files(files)).entries),
        ignored=folders,
        dependencies=stamps,
        digests=read_digests(project, stamps, seconds=_READING_SECONDS),
        surroundings=dict(surroundings),
        variables=dict(variables),
        programs=dict(programs),
    )
    _save_small_folders(project, folder / _SAVED_FOLDERS, baseline)
    data = msgspec.json.encode(baseline)
    (folder / _RECORD).write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def _save_small_folders(project: Path, target: Path, baseline: Baseline) -> None:
    """Copy ignored folders that are small and that no installer writes."""
    for path in walk_ignored_folders(project, baseline.ignored):
        prefix = f"{path}/"
        sizes = [
            stamp[0] for name, stamp in baseline.dependencies.items() if name.startswith(prefix)
        ]
        is_small = len(sizes) <= _MAX_SAVED_FILES and sum(sizes) <= _MAX_SAVED_BYTES
        if sizes and is_small and not is_dependency(project / path):
            with suppress(OSError, shutil.Error):
                shutil.copytree(project / path, target / path, symlinks=True)


def get_saved_folders(folder: Path) -> Path:
    """Return where the copies of small ignored folders are."""
    return folder / _SAVED_FOLDERS


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


def get_files_folder(folder: Path) -> Path:
    """Return the folder of the copied files."""
    return folder / _FILES


def find_edited_tests(folder: Path, project: Path) -> tuple[str, ...]:
    """Return the baseline's test files that the project no longer has, or has otherwise."""
    files = get_files_folder(folder)
    tests = [path for path in walk_files(files) if classify_file(path) == "test"]
    old, new = read_tree(files, tests).entries, read_tree(project, tests).entries
    return tuple(path for path in tests if old.get(path) != new.get(path))


def delete_baseline_files(folder: Path) -> None:
    """Delete the copied files of a loop that has ended; their record stays."""
    for name in (_FILES, _SAVED_FOLDERS):
        shutil.rmtree(folder / name, ignore_errors=True)


def read_baseline_time(folder: Path) -> float:
    """Return when the baseline was saved: later changes were made while the loop ran."""
    return (folder / _RECORD).stat().st_mtime
