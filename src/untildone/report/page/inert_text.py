"""Foreign text made harmless: no control, bidirectional or invisible characters, bounded."""

from collections.abc import Iterable

from untildone.checks.clean_output import clean
from untildone.core.text import shorten

# Read of a text before it is cut, as a multiple of what is shown: escapes take room too.
_READ_AHEAD = 4


def make_inert(text: str, limit: int) -> str:
    """Return the text without escapes, invisible characters and secrets, cut to the limit."""
    cleaned = clean(text[: _READ_AHEAD * limit])
    left_out = len(text) - _READ_AHEAD * limit
    if left_out > 0 and len(cleaned) <= limit:
        return f"{cleaned} …".lstrip()
    return shorten(cleaned, limit)


def make_line(text: str, limit: int = 160) -> str:
    """Return the text as one line of at most `limit` characters."""
    return shorten(" ".join(make_inert(text, 2 * limit).split()), limit)


def cut_lines(text: str, *, lines: int, width: int) -> str:
    """Return the first lines, each cut to the width, and a line that counts the others."""
    all_lines = text.splitlines()
    shown = [make_inert(line, width) for line in all_lines[:lines]]
    left_out = len(all_lines) - len(shown)
    return "\n".join([*shown, f"… {left_out} more lines"] if left_out > 0 else shown)


def list_first(texts: Iterable[str], most: int) -> tuple[tuple[str, ...], int]:
    """Return the first texts as lines, and the number of the others."""
    every = tuple(texts)
    return tuple(make_line(text) for text in every[:most]), max(0, len(every) - most)
