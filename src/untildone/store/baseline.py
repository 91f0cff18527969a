"""What the checks found before the agent began: one file, known by its SHA-256."""

from pathlib import Path
from typing import TypeVar

from untildone.store.digest import sha256
from untildone.store.encoding import decode, encode
from untildone.store.files import Damaged, put_away, read_bounded, seal, shown, unseal, write_whole

# What is larger is not kept: then nothing is presumed of the start.
LARGEST = 48_000_000

Value = TypeVar("Value")


def write(folder: Path, results: object) -> str:
    """The SHA-256 of the file; empty where it would be too large. Under the loop's lock."""
    data = seal(encode(results))
    if len(data) > LARGEST:
        return ""
    path = _path(folder)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    write_whole(path, data, keep_previous=False)
    return sha256(data).hexdigest()


def read(folder: Path, digest: str, kind: type[Value]) -> Value:
    """The start's results as far as `kind` asks for them; raises Damaged as `unaltered` does."""
    return decode(unseal(unaltered(folder, digest)), kind)


def unaltered(folder: Path, digest: str) -> bytes:
    """The file's bytes; raises Damaged where it is not the one that was recorded."""
    path = _path(folder)
    try:
        data = read_bounded(path, LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        raise Damaged(f"{shown(path)} is missing") from None
    if sha256(data).hexdigest() != digest:
        raise Damaged(f"{shown(path)} was altered")
    return data


def kept(folder: Path, digest: str) -> str:
    """The same SHA-256 if the file is still that one; else none, and the file is put away."""
    try:
        unaltered(folder, digest)
    except Damaged:
        put_away(_path(folder))
        return ""
    return digest


def _path(folder: Path) -> Path:
    return folder / "baseline" / "results.json"
