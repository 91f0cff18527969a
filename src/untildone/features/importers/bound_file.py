"""The other tool's file that a loop follows: its count is updated, and it is removed at the end."""

from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from untildone.engine.context import Context
from untildone.features.importers import BOUND_FILE
from untildone.store.encoding import decode, encode
from untildone.store.files import DamagedFileError, read_bounded, write_atomically


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
    # Imported where it is used: few loops have a file, and this imports YAML.
    from untildone.features.importers.formats.counter import set_count

    with suppress(OSError, DamagedFileError):
        before = read_bounded(file)
        after = set_count(before, counter, number)
        if after != before:
            write_atomically(file, after, keep_previous=False)


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
