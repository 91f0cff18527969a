"""Helpers for short texts: length, line breaks, plural."""

from collections.abc import Sequence

_MAX_LINE = 300


def shorten(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: limit - 2].rstrip() + " …" if limit > 2 else ""


def to_one_line(text: str) -> str:
    """Return foreign text as one line of at most 300 characters, to keep our layout."""
    return shorten(" ".join(text[: 2 * _MAX_LINE].split()), _MAX_LINE)


def pluralize(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def join_first(names: Sequence[str], most: int = 5) -> str:
    """Return the first names and the number of the others: `a, b, c, d, e and 2 more`."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def escape_controls(text: str) -> str:
    """Escape control characters, which could hide or reorder what is shown."""
    return "".join(
        char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode()
        for char in text
    )
