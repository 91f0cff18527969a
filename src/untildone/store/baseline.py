"""What was there before the agent began: each file is known by its SHA-256."""

import os
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from untildone.core.progress import Progress
from untildone.store.digest import sha256
from untildone.store.encoding import decode, encode
from untildone.store.files import (
    DamagedFileError,
    add_checksum,
    move_aside,
    open_own,
    quote_path,
    read_bounded,
    strip_checksum,
    write_atomically,
)

# What is larger is not kept: then nothing is presumed of the start.
MAX_RESULTS_SIZE = 48_000_000

_BLOCK = 1_000_000

Value = TypeVar("Value")


def write_results(folder: Path, results: object) -> str:
    """The SHA-256 of the file; empty where it would be too large. Under the loop's lock."""
    data = add_checksum(encode(results))
    if len(data) > MAX_RESULTS_SIZE:
        return ""
    path = _path(folder)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    write_atomically(path, data, keep_previous=False)
    return sha256(data).hexdigest()


def read_results(folder: Path, digest: str, kind: type[Value]) -> Value:
    """The start's results as far as `kind` asks for them; raises Damaged as `unaltered` does."""
    return decode(strip_checksum(read_unaltered(folder, digest)), kind)


def read_unaltered(folder: Path, digest: str) -> bytes:
    """The file's bytes; raises Damaged where it is not the one that was recorded."""
    path = _path(folder)
    try:
        data = read_bounded(path, MAX_RESULTS_SIZE)
    except (FileNotFoundError, NotADirectoryError):
        raise DamagedFileError(f"{quote_path(path)} is missing") from None
    if sha256(data).hexdigest() != digest:
        raise DamagedFileError(f"{quote_path(path)} was altered")
    return data


def verify_baseline(folder: Path, progress: Progress) -> None:
    """Raises Damaged where what was kept of the start is not what was recorded."""
    if progress.baseline:
        read_unaltered(folder, progress.baseline)
    if progress.baseline_tree_digest:
        _tree_unaltered(folder, progress.baseline_tree_digest)


def drop_damaged_records(folder: Path, progress: Progress) -> Progress:
    """The progress, resting only on what is still whole; the rest is put away."""
    try:
        verify_baseline(folder, replace(progress, baseline_tree_digest=""))
    except DamagedFileError:
        move_aside(_path(folder))
        progress = replace(progress, baseline="")
    try:
        verify_baseline(folder, replace(progress, baseline=""))
    except DamagedFileError as damage:
        progress = replace(progress, baseline_tree_digest="", baseline_missing=damage.reason)
    return progress


def _tree_unaltered(folder: Path, digest: str) -> None:
    """The record of the start's files; the files themselves are compared with it at the end."""
    path = folder / "baseline" / "start.json"
    found = sha256()
    try:
        with os.fdopen(open_own(path, os.O_RDONLY), "rb") as file:
            while block := file.read(_BLOCK):
                found.update(block)
    except (FileNotFoundError, NotADirectoryError):
        raise DamagedFileError(f"{quote_path(path)} is missing") from None
    if found.hexdigest() != digest:
        raise DamagedFileError(f"{quote_path(path)} was altered")


def _path(folder: Path) -> Path:
    return folder / "baseline" / "results.json"
