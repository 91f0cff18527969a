"""Where each value of a JSON text stands."""

import json
import re
from typing import Literal, TypeAlias

from msgspec import Struct

Kind: TypeAlias = Literal["object", "array", "scalar"]

BYTE_ORDER_MARK = "\ufeff"
_SPACE = re.compile(r"[ \t\r\n]*")


class UnreadableError(Exception):
    """What is wrong with the text, and where."""

    def __init__(self, message: str, *, text: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)


class Node(Struct, frozen=True, kw_only=True):
    """One value by its place; `starts` are its children's, keys included."""

    kind: Kind
    start: int
    end: int
    keys: tuple[str, ...] = ()
    starts: tuple[int, ...] = ()
    children: tuple["Node", ...] = ()


def scan(text: str) -> Node:
    start = _skip(text, len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0)
    try:
        root = _scan(text, start)
    except json.JSONDecodeError as error:
        raise UnreadableError(_lowered(error.msg), text=text, at=error.pos) from None
    except RecursionError:
        raise UnreadableError("nested too deeply", text=text, at=start) from None
    rest = _skip(text, root.end)
    if rest < len(text):
        raise UnreadableError("extra data", text=text, at=rest)
    return root


def value_at(text: str, node: Node) -> object:
    value: object = _DECODER.decode(text[node.start : node.end])
    return value


def _number(digits: str) -> int | float:
    # Python refuses to convert very long integers; the client reads them as floats anyway.
    return int(digits) if len(digits) < 4000 else float(digits)


_DECODER = json.JSONDecoder(parse_int=_number)


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _scan(text: str, at: int) -> Node:
    opening = text[at : at + 1]
    if opening == "{":
        return _scan_object(text, at)
    if opening == "[":
        return _scan_array(text, at)
    if text.startswith(("NaN", "Infinity", "-Infinity"), at):
        raise json.JSONDecodeError("expecting value", text, at)
    return Node(kind="scalar", start=at, end=_DECODER.raw_decode(text, at)[1])


def _scan_object(text: str, at: int) -> Node:
    start = _skip(text, at + 1)
    if text.startswith("}", start):
        return Node(kind="object", start=at, end=start + 1)
    keys: list[str] = []
    starts: list[int] = []
    children: list[Node] = []
    mark = ","
    while mark == ",":
        key, colon = _scan_key(text, start)
        if key in keys:
            raise json.JSONDecodeError(f"the key `{key}` appears twice", text, start)
        keys.append(key)
        starts.append(start)
        children.append(_scan(text, _skip(text, colon + 1)))
        mark, start = _next_mark(text, children[-1].end, marks=",}")
    return Node(
        kind="object",
        start=at,
        end=start,
        keys=tuple(keys),
        starts=tuple(starts),
        children=tuple(children),
    )


def _scan_array(text: str, at: int) -> Node:
    start = _skip(text, at + 1)
    if text.startswith("]", start):
        return Node(kind="array", start=at, end=start + 1)
    children: list[Node] = []
    mark = ","
    while mark == ",":
        children.append(_scan(text, start))
        mark, start = _next_mark(text, children[-1].end, marks=",]")
    starts = tuple(child.start for child in children)
    return Node(kind="array", start=at, end=start, starts=starts, children=tuple(children))


def _scan_key(text: str, at: int) -> tuple[str, int]:
    if not text.startswith('"', at):
        raise json.JSONDecodeError("expecting a key in double quotes", text, at)
    key, end = _DECODER.raw_decode(text, at)
    colon = _skip(text, end)
    if not text.startswith(":", colon):
        raise json.JSONDecodeError("expecting `:`", text, colon)
    return str(key), colon


def _next_mark(text: str, end: int, *, marks: str) -> tuple[str, int]:
    """The comma and where the next child begins, or the closing mark and the end after it."""
    at = _skip(text, end)
    mark = text[at : at + 1]
    if mark not in tuple(marks):
        raise json.JSONDecodeError(f"expecting `,` or `{marks[-1]}`", text, at)
    return mark, _skip(text, at + 1) if mark == "," else at + 1


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:]
