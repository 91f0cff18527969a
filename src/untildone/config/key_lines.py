"""The line of each key in a TOML file, which `tomllib` does not report.

`[checks.test]` in line 3 gives `{("checks",): 3, ("checks", "test"): 3}`.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

# The keys that lead to a value, with numbers for the items of lists.
KeyPath: TypeAlias = tuple[str | int, ...]

# The time grows with the square of the lines of a statement.
_LONGEST_STATEMENT = 300


def find_key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line of each key, the first of its statement; the text must be TOML."""
    lines: dict[KeyPath, int] = {}
    tables: Counter[KeyPath] = Counter()
    table: KeyPath = ()
    for line, statement in _split_statements(text):
        parsed = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            table = _read_header(parsed, tables, repeated=statement.lstrip().startswith("[["))
            for end in range(1, len(table) + 1):
                lines.setdefault(table[:end], line)
        else:
            for key in _list_keys(parsed, table):
                lines.setdefault(key, line)
    return lines


def find_line(lines: dict[KeyPath, int], key: KeyPath) -> int:
    """Return the line of the key, or of the nearest table around it."""
    while key and key not in lines:
        key = key[:-1]
    return lines.get(key, 1)


def _split_statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first line and the text of each statement: the shortest text that is TOML."""
    start, statement = 1, ""
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        statement += line
        try:
            tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            if number - start >= _LONGEST_STATEMENT:
                return
            continue
        yield start, statement
        start, statement = number + 1, ""


def _read_header(parsed: dict[str, Any], tables: Counter[KeyPath], *, repeated: bool) -> KeyPath:
    """Return the path of a table, with a number after each table that is `repeated`."""
    path: KeyPath = ()
    value: Any = parsed
    while value:
        key, value = next(iter(value.items()))
        if isinstance(value, list):
            value = value[0]
        path = (*path, key)
        if not value and repeated:
            tables[path] += 1
        if tables[path]:
            path = (*path, tables[path] - 1)
    return path


def _list_keys(value: object, path: KeyPath) -> Iterator[KeyPath]:
    for key, item in list_items(value):
        yield (*path, key)
        yield from _list_keys(item, (*path, key))


def list_items(value: object) -> Iterator[tuple[str | int, Any]]:
    """Yield the items of a table by key, or of a list by number."""
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)
