"""Paths of keys in a TOML document."""

from collections.abc import Iterator
from typing import Any, TypeAlias

# The keys that lead to a value, with numbers for the items of lists.
KeyPath: TypeAlias = tuple[str | int, ...]


def list_items(value: object) -> Iterator[tuple[str | int, Any]]:
    """The items of a table by key, or of a list by number."""
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)
