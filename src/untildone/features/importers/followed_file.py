"""Keeps another tool's loop file up to date while our loop runs in its place.

A loop that was imported from a trusted file follows that file: after each round we write our round
number into the file's own counter, and when the loop ends we delete the file, as its tool would.

    ---                         ---
    iteration: 3         ->     iteration: 4
    ---                         ---

What we need for that is in a note of ours (`FollowedFile`) in the folder of the loop.
"""

import json
import re
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from untildone.engine.context import Context
from untildone.features.importers import FOLLOWED_FILE_NOTE
from untildone.store.durable_files import DamagedFileError, read_bounded, write_atomically
from untildone.store.encoding import decode, encode

# The number after `iteration: ` in front matter. The match begins at the start of the file and
# passes no line of `---` after the first line, so a counter in the text below is not meant.
_FRONT_MATTER_COUNT = (
    r"(?m)\A(?P<before>[^\n]*\n(?:(?!---[ \t\r]*$).*\n)*?{key}:[ \t]*)(?P<number>\d+)"
)
# The number after `"iteration": ` in a JSON object.
_JSON_COUNT = r'(?P<before>"{key}"\s*:\s*)(?P<number>\d+)'


class FollowedFile(Struct, frozen=True, kw_only=True):
    """Our note on the other tool's file."""

    file: str
    # The path as messages show it, relative to the project if possible.
    display_path: str
    # The file with the counter (often the same file), and the counter's key in it.
    counter_file: str
    counter_key: str
    # The file's counter minus our round: 1 for a tool whose first iteration is number 1.
    round_offset: int
    # The file's limit of rounds when we last read it: None if it has none, 0 for no limit.
    max_rounds: int | None
    # Whether its tool leaves the file in place at the end, so that we do, too.
    keep_at_end: bool


def update_or_remove_followed_file(context: Context, loop: str) -> None:
    """Write our round into the file that the loop follows; delete the file once the loop ended."""
    note = load_note(context, loop)
    if note is None:
        return
    progress = context.loops.load(loop).progress
    # A loop that ran out of rounds is only paused for us, but over for the other tool.
    if progress.status != "finished" and progress.outcome != "out-of-rounds":
        count = progress.round + note.round_offset
        _write_count(Path(note.counter_file), note.counter_key, count)
        return
    delete_note(context, loop)
    for file in () if note.keep_at_end else (note.file, note.counter_file):
        with suppress(OSError):
            Path(file).unlink(missing_ok=True)


def _write_count(file: Path, key: str, count: int) -> None:
    """Write the count for users and tools that read the file.

    Nothing of ours depends on it, so a file that cannot be read or written is left alone.
    """
    with suppress(OSError, DamagedFileError):
        before = read_bounded(file)
        after = replace_count(before, key, count)
        if after != before:
            write_atomically(file, after, keep_previous=False)


def replace_count(data: bytes, key: str, count: int) -> bytes:
    """Return the file's content with this count.

    It is unchanged if it has no such counter, or if only a nested key has that name.
    """
    text = data.decode("utf-8", "surrogateescape")
    is_json = text.lstrip("\ufeff \t\r\n").startswith("{")
    template = _JSON_COUNT if is_json else _FRONT_MATTER_COUNT
    pattern = template.replace("{key}", re.escape(key))
    changed = re.sub(pattern, rf"\g<before>{count}", text, count=1)
    if is_json and not _is_only_change(key, count, text, changed):
        return data
    return changed.encode("utf-8", "surrogateescape")


def _is_only_change(key: str, count: int, before: str, after: str) -> bool:
    """Say whether the edit set the top-level key and nothing else.

    In `{"last": {"iteration": 2}, "iteration": 3}` the pattern finds the nested key first.
    """
    try:
        old_values, new_values = (json.loads(text.lstrip("\ufeff")) for text in (before, after))
    except (ValueError, RecursionError):
        return False
    has_key = isinstance(old_values, dict) and key in old_values
    return has_key and {**old_values, key: count} == new_values


def save_note(context: Context, loop: str, note: FollowedFile) -> None:
    """Make the loop follow this file from now on."""
    write_atomically(_locate_note(context, loop), encode(note), keep_previous=False)


def load_note(context: Context, loop: str) -> FollowedFile | None:
    """Return the note on the file that the loop follows; None if it follows none."""
    try:
        return decode(read_bounded(_locate_note(context, loop)), FollowedFile)
    except (FileNotFoundError, DamagedFileError):
        return None


def delete_note(context: Context, loop: str) -> None:
    """Make the loop follow no file; the other tool's file stays as it is."""
    _locate_note(context, loop).unlink(missing_ok=True)


def _locate_note(context: Context, loop: str) -> Path:
    return context.loops.get_folder(loop) / FOLLOWED_FILE_NOTE
