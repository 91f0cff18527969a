"""What is wrong with the shape of a table: unknown keys, values of another kind."""

from collections.abc import Iterator
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields

KeyPath: TypeAlias = tuple[str | int, ...]
_KINDS = {
    str: "a text in quotes",
    bool: "`true` or `false`",
    int: "a whole number",
    float: "a number",
}
_LONGEST = 60


class ConfigProblem(Struct, frozen=True):
    """`place`: the keys that lead to it, numbers inside lists."""

    place: KeyPath
    text: str


def find_type_problems(value: object, kind: Any, place: KeyPath = ()) -> Iterator[ConfigProblem]:  # noqa: ANN401  a type
    """Whatever keeps the value from being of this kind, all at once."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        kind = next(each for each in inner if each is not NoneType)
        yield from find_type_problems(value, kind, place)
    elif origin is Literal:
        if value not in inner:
            yield make_problem(place, value, _listed(inner))
    elif origin is dict:
        yield from _table(value, inner[1], place)
    elif origin is tuple:
        yield from _list(value, inner[0], place)
    elif issubclass(kind, Struct):
        yield from _struct(value, kind, place)
    elif not _is(value, kind):
        yield make_problem(place, value, _KINDS[kind])


def make_problem(place: KeyPath, value: object, allowed: str) -> ConfigProblem:
    return ConfigProblem(place, f"`{_name(place)}` is `{_shown(value)}`; allowed: {allowed}")


def _table(value: object, kind: Any, place: KeyPath) -> Iterator[ConfigProblem]:  # noqa: ANN401  a type
    if not isinstance(value, dict):
        yield make_problem(place, value, "a table")
        return
    for key, item in value.items():
        yield from find_type_problems(item, kind, (*place, key))


def _list(value: object, kind: Any, place: KeyPath) -> Iterator[ConfigProblem]:  # noqa: ANN401  a type
    if not isinstance(value, list):
        tables = isinstance(kind, type) and issubclass(kind, Struct)
        yield make_problem(place, value, f"tables `[[{_name(place)}]]`" if tables else "a list")
        return
    for number, item in enumerate(value):
        yield from find_type_problems(item, kind, (*place, number))


def _struct(value: object, kind: type[Struct], place: KeyPath) -> Iterator[ConfigProblem]:
    if not isinstance(value, dict):
        yield make_problem(place, value, "a table")
        return
    known = {field.name: field for field in fields(kind)}
    for key, item in value.items():
        if key in known:
            yield from find_type_problems(item, known[key].type, (*place, key))
        else:
            yield ConfigProblem((*place, key), f"`{_shown(key)}` is unknown; {_meant(key, known)}")


def _meant(key: str, known: dict[str, Any]) -> str:
    close = get_close_matches(key, known, n=1)
    return f"did you mean `{close[0]}`?" if close else f"allowed: {_listed(tuple(known))}"


def _is(value: object, kind: type) -> bool:
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, int | float) if kind is float else isinstance(value, kind)


def _name(place: KeyPath) -> str:
    """The nearest key: an item of a list goes by the list's."""
    return next((_shown(key) for key in reversed(place) if isinstance(key, str)), "the file")


def _shown(value: object) -> str:
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _listed(values: tuple[object, ...]) -> str:
    return ", ".join(f"`{value}`" for value in values)
