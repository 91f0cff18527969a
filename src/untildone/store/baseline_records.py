"""The baseline's records on disk, each identified by its SHA-256."""

import os
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from untildone.core.progress import Progress
from untildone.store import durable_files
from untildone.store.digest import sha256
from untildone.store.durable_files import DamagedFileError, quote_path
from untildone.store.encoding import decode, encode

# Larger results are not kept; the loop then has no baseline results.
MAX_RESULTS_SIZE = 48_000_000

_BLOCK = 1_000_000

Value = TypeVar("Value")


def write_results(folder: Path, results: object) -> str:
    """Write the check results and return the file's SHA-256, empty if it would be too large.

    The caller holds the loop's lock.
    """
    data = durable_files.add_checksum(encode(results))
    if len(data) > MAX_RESULTS_SIZE:
        return ""
    path = _get_results_path(folder)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    durable_files.write_atomically(path, data, keep_previous=False)
    return sha256(data).hexdigest()


def read_results(folder: Path, digest: str, kind: type[Value]) -> Value:
    """Return the baseline's results, with the fields that `kind` has."""
    return decode(durable_files.strip_checksum(read_unaltered(folder, digest)), kind)


def read_unaltered(folder: Path, digest: str) -> bytes:
    """Return the bytes of the results file; raise DamagedFileError if it was altered."""
    path = _get_results_path(folder)
    try:
        data = durable_files.read_bounded(path, MAX_RESULTS_SIZE)
    except (FileNotFoundError, NotADirectoryError):
        raise DamagedFileError(f"{quote_path(path)} is missing") from None
    if sha256(data).hexdigest() != digest:
        raise DamagedFileError(f"{quote_path(path)} was altered")
    return data


def verify_baseline(folder: Path, progress: Progress) -> None:
    """Raise DamagedFileError if a record of the baseline is not the one that was recorded."""
    if progress.baseline:
        read_unaltered(folder, progress.baseline)
    if progress.baseline_tree_digest:
        _verify_tree_record(folder, progress.baseline_tree_digest)


def drop_damaged_records(folder: Path, progress: Progress) -> Progress:
    """Return the progress without its damaged records, and move those aside."""
    try:
        verify_baseline(folder, replace(progress, baseline_tree_digest=""))
    except DamagedFileError:
        durable_files.move_aside(_get_results_path(folder))
        progress = replace(progress, baseline="")
    try:
        verify_baseline(folder, replace(progress, baseline=""))
    except DamagedFileError as damage:
        progress = replace(progress, baseline_tree_digest="", baseline_missing=damage.reason)
    return progress


def _verify_tree_record(folder: Path, digest: str) -> None:
    """Verify the record of the baseline's files; the files are compared with it at the end."""
    path = folder / "baseline" / "start.json"
    content = sha256()
    try:
        with os.fdopen(durable_files.open_own(path, os.O_RDONLY), "rb") as file:
            while block := file.read(_BLOCK):
                content.update(block)
    except (FileNotFoundError, NotADirectoryError):
        raise DamagedFileError(f"{quote_path(path)} is missing") from None
    if content.hexdigest() != digest:
        raise DamagedFileError(f"{quote_path(path)} was altered")


def _get_results_path(folder: Path) -> Path:
    return folder / "baseline" / "results.json"
