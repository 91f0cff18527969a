"""Where each value of a JSON text begins and ends.

In `{"a": [1]}` the root is 0 to 10, its child `a` is 6 to 9 and starts with its key at 1.
"""

import json
import re

from msgspec import Struct

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
    """One value from `start` to `end`.

    `starts` has the place where each child begins, which is its key in an object.
    """

    start: int
    end: int
    keys: tuple[str, ...] = ()
    starts: tuple[int, ...] = ()
    children: tuple["Node", ...] = ()

    def get_child(self, key: str) -> "Node | None":
        return self.children[self.keys.index(key)] if key in self.keys else None


def scan(text: str) -> Node:
    """Scan the whole text; raise UnreadableError unless it is JSON without repeated keys."""
    start = _skip_space(text, len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0)
    try:
        root = _scan(text, start, depth=-1)
    except json.JSONDecodeError as error:
        message = error.msg[:1].lower() + error.msg[1:]
        raise UnreadableError(message, text=text, at=error.pos) from None
    except RecursionError:
        raise UnreadableError("nested too deeply", text=text, at=start) from None
    rest = _skip_space(text, root.end)
    if rest < len(text):
        raise UnreadableError("extra data", text=text, at=rest)
    return root


def scan_value(text: str, at: int = 0, *, depth: int) -> Node:
    """Return the value that begins at or after `at` in valid JSON, with `depth` levels of children.

    Deeper values are skipped by the standard library's decoder, which is many times faster.
    """
    return _scan(text, _skip_space(text, at), depth=depth)


def decode_node(text: str, node: Node) -> object:
    value: object = _DECODER.decode(text[node.start : node.end])
    return value


def _parse_integer(digits: str) -> int | float:
    # Python refuses to convert very long integers; the client reads them as floats anyway.
    return int(digits) if len(digits) < 4000 else float(digits)


_DECODER = json.JSONDecoder(parse_int=_parse_integer)


def _skip_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _scan(text: str, at: int, *, depth: int) -> Node:
    opening = text[at : at + 1]
    if opening == "{" and depth:
        return _scan_object(text, at, depth=depth)
    if opening == "[" and depth:
        return _scan_array(text, at, depth=depth)
    if text.startswith(("NaN", "Infinity", "-Infinity"), at):
        raise json.JSONDecodeError("expecting value", text, at)
    return Node(start=at, end=_DECODER.raw_decode(text, at)[1])


def _scan_object(text: str, at: int, *, depth: int) -> Node:
    start = _skip_space(text, at + 1)
    if text.startswith("}", start):
        return Node(start=at, end=start + 1)
    starts: dict[str, int] = {}
    children: list[Node] = []
    mark = ","
    while mark == ",":
        key, colon = _scan_key(text, start)
        if key in starts:
            raise json.JSONDecodeError(f"the key `{key}` appears twice", text, start)
        starts[key] = start
        children.append(_scan(text, _skip_space(text, colon + 1), depth=depth - 1))
        mark, start = _scan_mark(text, children[-1].end, marks=",}")
    return Node(
        start=at,
        end=start,
        keys=tuple(starts),
        starts=tuple(starts.values()),
        children=tuple(children),
    )


def _scan_array(text: str, at: int, *, depth: int) -> Node:
    start = _skip_space(text, at + 1)
    if text.startswith("]", start):
        return Node(start=at, end=start + 1)
    children: list[Node] = []
    mark = ","
    while mark == ",":
        children.append(_scan(text, start, depth=depth - 1))
        mark, start = _scan_mark(text, children[-1].end, marks=",]")
    starts = tuple(child.start for child in children)
    return Node(start=at, end=start, starts=starts, children=tuple(children))


def _scan_key(text: str, at: int) -> tuple[str, int]:
    if not text.startswith('"', at):
        raise json.JSONDecodeError("expecting a key in double quotes", text, at)
    key, end = _DECODER.raw_decode(text, at)
    colon = _skip_space(text, end)
    if not text.startswith(":", colon):
        raise json.JSONDecodeError("expecting `:`", text, colon)
    return str(key), colon


def _scan_mark(text: str, end: int, *, marks: str) -> tuple[str, int]:
    """Return the comma and where the next child begins, or the closing mark and its end."""
    at = _skip_space(text, end)
    mark = text[at : at + 1]
    if mark not in tuple(marks):
        raise json.JSONDecodeError(f"expecting `,` or `{marks[-1]}`", text, at)
    return mark, _skip_space(text, at + 1) if mark == "," else at + 1
