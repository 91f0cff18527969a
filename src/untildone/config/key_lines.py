"""On which line of a TOML file each key stands, which Python's own reader does not tell."""

import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from untildone.config.type_validation import KeyPath

# Each line of one statement is tried as its last: a longer one is not worth the time.
_LONGEST_STATEMENT = 300


def find_key_lines(text: str) -> dict[KeyPath, int]:
    """The text must be TOML; what stands in one statement has the line where that begins."""
    found: dict[KeyPath, int] = {}
    tables: Counter[KeyPath] = Counter()
    table: KeyPath = ()
    for line, statement in _statements(text):
        parsed = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            table = _header(parsed, tables, repeated=statement.lstrip().startswith("[["))
            for end in range(1, len(table) + 1):
                found.setdefault(table[:end], line)
        else:
            for place in _inner(parsed, table):
                found.setdefault(place, line)
    return found


def find_line(lines: dict[KeyPath, int], place: KeyPath) -> int:
    """Its own line, or that of the nearest table around it."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """A beginning that is TOML and ends with a line is whole statements: nothing is open in it."""
    begun, statement = 1, ""
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        statement += line
        try:
            tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            if number - begun >= _LONGEST_STATEMENT:
                return
            continue
        yield begun, statement
        begun, statement = number + 1, ""


def _header(parsed: dict[str, Any], tables: Counter[KeyPath], *, repeated: bool) -> KeyPath:
    place: KeyPath = ()
    value: Any = parsed
    while value:
        key, value = next(iter(value.items()))
        if isinstance(value, list):
            value = value[0]
        place = (*place, key)
        if not value and repeated:
            tables[place] += 1
        if tables[place]:
            place = (*place, tables[place] - 1)
    return place


def _inner(value: object, place: KeyPath) -> Iterator[KeyPath]:
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        yield (*place, key)
        yield from _inner(item, (*place, key))
