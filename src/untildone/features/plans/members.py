"""The places of an object's members in a JSON text, so that an edit leaves all else as it is."""

import json
import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_WIDEST = 400


class Member(Struct, frozen=True, kw_only=True):
    """From `key_at` the key begins, from `start` to `end` its value stands."""

    key: str
    key_at: int
    start: int
    end: int


class Edit(Struct, frozen=True, kw_only=True):
    start: int
    end: int
    text: str


def members(text: str, at: int = 0) -> Iterator[Member]:
    """Of the object that begins at or after `at`, in a text that is known to be JSON."""
    at = _past_space(text, _past_space(text, at) + 1)
    while text[at] != "}":
        key, after = _DECODER.raw_decode(text, at)
        start = _past_space(text, _past_space(text, after) + 1)
        _, end = _DECODER.raw_decode(text, start)
        yield Member(key=key, key_at=at, start=start, end=end)
        at = _past_space(text, end)
        if text[at] == ",":
            at = _past_space(text, at + 1)


def member(text: str, at: int, key: str) -> Member | None:
    return next((found for found in members(text, at) if found.key == key), None)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """All at once, each at its place in the text as it was."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        parts += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join((*parts, text[at:]))


def setting(text: str, at: int, key: str, value: object) -> Edit:
    """The edit that gives the object at `at` this value; a new key is put at its end."""
    found = list(members(text, at))
    for each in found:
        if each.key == key:
            return Edit(start=each.start, end=each.end, text=written(text, each.key_at, value))
    where = found[-1].end if found else _past_space(text, at) + 1
    near = found[-1].key_at if found else where
    comma = "," if found else ""
    new = f"{comma}{gap(text, near)}{dumped(key)}: {written(text, near, value)}"
    return Edit(start=where, end=where, text=new)


def written(text: str, near: int, value: object) -> str:
    """On one line where lists are, else indented as what stands at `near`."""
    flat = isinstance(value, (str, int, list, tuple))
    space = gap(text, near)
    if flat or "\n" not in space:
        return dumped(value)
    unit = re.search(r"\n([ \t]+)\"", text)
    indented = json.dumps(value, ensure_ascii=False, indent=unit[1] if unit else 2)
    return indented.replace("\n", space)


def dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def gap(text: str, at: int) -> str:
    """The space before a place, from its line break on."""
    near = text[max(0, at - _WIDEST) : at]
    space = near[len(near.rstrip(" \t\r\n")) :]
    newline = "\r\n" if "\r\n" in space else "\n"
    return newline + space.rpartition("\n")[2] if "\n" in space else " "


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
