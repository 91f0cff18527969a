"""The other tool's file that a loop follows: its count is updated, and it is removed at the end."""

import json
import re
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from untildone.engine.context import Context
from untildone.features.importers import BOUND_FILE
from untildone.store.durable_files import DamagedFileError, read_bounded, write_atomically
from untildone.store.encoding import decode, encode

_FRONT = r"(?m)\A(?P<before>[^\n]*\n(?:(?!---[ \t\r]*$).*\n)*?{key}:[ \t]*)(?P<number>\d+)"
_JSON = r'(?P<before>"{key}"\s*:\s*)(?P<number>\d+)'


class BoundFile(Struct, frozen=True, kw_only=True):
    """`shown` is its displayed path, `rounds` the bound it had when last read."""

    file: str
    shown: str
    counted_in: str
    counter: str
    first: int
    rounds: int | None
    kept: bool


def update_bound_file(context: Context, loop: str) -> None:
    """Writes the count; removes the file of a finished loop, as its own tool does."""
    bound = load_bound_file(context, loop)
    if bound is None:
        return
    progress = context.loops.load(loop).progress
    if progress.status != "finished" and progress.outcome != "out-of-rounds":
        _write_count(Path(bound.counted_in), bound.counter, progress.round + bound.first)
        return
    forget_bound_file(context, loop)
    for file in () if bound.kept else (bound.file, bound.counted_in):
        with suppress(OSError):
            Path(file).unlink(missing_ok=True)


def _write_count(file: Path, counter: str, number: int) -> None:
    """For people and tools that read the file: our own count is in our state."""
    with suppress(OSError, DamagedFileError):
        before = read_bounded(file)
        after = set_count(before, counter, number)
        if after != before:
            write_atomically(file, after, keep_previous=False)


def set_count(data: bytes, key: str, number: int) -> bytes:
    """The file with that count; unchanged if it has none or another key might be meant."""
    text = data.decode("utf-8", "surrogateescape")
    shape = _JSON if text.lstrip("\ufeff \t\r\n").startswith("{") else _FRONT
    pattern = shape.replace("{key}", re.escape(key))
    changed = re.sub(pattern, rf"\g<before>{number}", text, count=1)
    if shape is _JSON and not _changed_only(key, number, text, changed):
        return data
    return changed.encode("utf-8", "surrogateescape")


def _changed_only(key: str, number: int, before: str, after: str) -> bool:
    """False if the edit hit a nested key of the same name."""
    try:
        old, new = (json.loads(text.lstrip("\ufeff")) for text in (before, after))
    except (ValueError, RecursionError):
        return False
    return isinstance(old, dict) and key in old and {**old, key: number} == new


def save_bound_file(context: Context, loop: str, bound: BoundFile) -> None:
    write_atomically(
        context.loops.get_folder(loop) / BOUND_FILE, encode(bound), keep_previous=False
    )


def load_bound_file(context: Context, loop: str) -> BoundFile | None:
    try:
        return decode(read_bounded(context.loops.get_folder(loop) / BOUND_FILE), BoundFile)
    except (FileNotFoundError, DamagedFileError):
        return None


def forget_bound_file(context: Context, loop: str) -> None:
    (context.loops.get_folder(loop) / BOUND_FILE).unlink(missing_ok=True)
