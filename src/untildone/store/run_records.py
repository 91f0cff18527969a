"""The runs of a loop's last confirmation on disk, identified by their SHA-256."""

from pathlib import Path
from typing import TypeVar

from untildone.store import durable_files
from untildone.store.digest import sha256
from untildone.store.durable_files import DamagedFileError
from untildone.store.encoding import decode, encode

_MAX_SIZE = 48_000_000
_FILE = "confirming_runs.json"

Runs = TypeVar("Runs")


def write_runs(folder: Path, runs: tuple[object, ...]) -> str:
    """Write the runs and return the file's SHA-256, empty if there are none or it cannot be."""
    data = encode(runs)
    if not runs or len(data) > _MAX_SIZE:
        return ""
    try:
        durable_files.write_atomically(folder / _FILE, data, keep_previous=False)
    except OSError:
        return ""
    return sha256(data).hexdigest()


def read_runs(folder: Path, digest: str, kind: type[Runs]) -> Runs | None:
    """Return the runs; None if they are not those with this digest. They can be made again."""
    if not digest:
        return None
    try:
        data = durable_files.read_bounded(folder / _FILE, _MAX_SIZE)
    except (OSError, DamagedFileError):
        return None
    return decode(data, kind) if sha256(data).hexdigest() == digest else None
