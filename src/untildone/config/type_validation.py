"""Which keys of a configuration are unknown, and which values are of the wrong type."""

from collections.abc import Iterator
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields

from untildone.config.key_lines import KeyPath, list_items

_Type: TypeAlias = Any
_TYPE_NAMES = {
    str: "a text in quotes",
    bool: "`true` or `false`",
    int: "a whole number",
    float: "a number",
}
_LONGEST_VALUE = 60


class ConfigProblem(Struct, frozen=True):
    path: KeyPath
    text: str


def find_type_problems(
    value: object, expected: _Type, path: KeyPath = ()
) -> Iterator[ConfigProblem]:
    """Yield all reasons why the value is not of the expected type."""
    origin: object = get_origin(expected)
    inner = get_args(expected)
    if origin in (Union, UnionType):
        expected = next(part for part in inner if part is not NoneType)
        yield from find_type_problems(value, expected, path)
    elif origin is Literal:
        if value not in inner:
            yield make_problem(path, value, _quote_all(inner))
    elif origin is dict:
        yield from _check_items(value, dict, inner[1], path)
    elif origin is tuple:
        yield from _check_items(value, list, inner[0], path)
    elif issubclass(expected, Struct):
        yield from _check_struct(value, expected, path)
    elif not _is_type(value, expected):
        yield make_problem(path, value, _TYPE_NAMES[expected])


def make_problem(path: KeyPath, value: object, allowed: str) -> ConfigProblem:
    return ConfigProblem(path, f"`{_get_name(path)}` is `{_format(value)}`; allowed: {allowed}")


def _check_items(
    value: object, container: type, item_type: _Type, path: KeyPath
) -> Iterator[ConfigProblem]:
    if isinstance(value, container):
        for key, item in list_items(value):
            yield from find_type_problems(item, item_type, (*path, key))
    elif container is dict:
        yield make_problem(path, value, "a table")
    else:
        is_table = isinstance(item_type, type) and issubclass(item_type, Struct)
        yield make_problem(path, value, f"tables `[[{_get_name(path)}]]`" if is_table else "a list")


def _check_struct(value: object, expected: type[Struct], path: KeyPath) -> Iterator[ConfigProblem]:
    if not isinstance(value, dict):
        yield make_problem(path, value, "a table")
        return
    known = {field.name: field for field in fields(expected)}
    for key, item in value.items():
        if key in known:
            yield from find_type_problems(item, known[key].type, (*path, key))
        else:
            text = f"`{_format(key)}` is unknown; {_suggest_key(key, known)}"
            yield ConfigProblem((*path, key), text)


def _suggest_key(key: str, known: dict[str, Any]) -> str:
    matches = get_close_matches(key, known, n=1)
    return f"did you mean `{matches[0]}`?" if matches else f"allowed: {_quote_all(tuple(known))}"


def _is_type(value: object, expected: type) -> bool:
    if isinstance(value, bool):
        return expected is bool
    return isinstance(value, int | float) if expected is float else isinstance(value, expected)


def _get_name(path: KeyPath) -> str:
    """Return the last key; an item of a list has the name of the list."""
    return next((_format(key) for key in reversed(path) if isinstance(key, str)), "the file")


def _format(value: object) -> str:
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _quote_all(values: tuple[object, ...]) -> str:
    return ", ".join(f"`{value}`" for value in values)
