"""JSON edited as text: only the touched place changes, all else keeps its bytes."""

import json

from msgspec import Struct

from untildone.install.json_scan import BYTE_ORDER_MARK, Node, scan, value_at


class Document(Struct, frozen=True, kw_only=True):
    text: str
    root: Node

    def value(self, *path: str | int) -> object:
        node = self.at(*path)
        return None if node is None else value_at(self.text, node)

    def at(self, *path: str | int) -> Node | None:
        node = self.root
        for step in path:
            position = _position(node, step)
            if position is None:
                return None
            node = node.children[position]
        return node


def read(text: str) -> Document:
    """An empty text is an empty object that is still to be written."""
    if not text.removeprefix(BYTE_ORDER_MARK).strip():
        text = "{}\n"
    return Document(text=text, root=scan(text))


def put(document: Document, path: tuple[str, ...], value: object) -> Document:
    """Sets a key; objects missing on the way are made."""
    return _put(document, document.root, path=path, value=value)


def append(document: Document, path: tuple[str, ...], value: object) -> Document:
    array = document.at(*path)
    return put(document, path, [value]) if array is None else _add(document, array, value)


def replace(document: Document, path: tuple[str | int, ...], value: object) -> Document:
    container, position = _place(document, path)
    return _replace(document, container, position, value=value)


def cut(document: Document, path: tuple[str | int, ...]) -> Document:
    """Takes a value out, and every container that this leaves empty."""
    container, position = _place(document, path)
    document = _cut(document, container, position)
    emptied = len(container.children) == 1 and len(path) > 1
    return cut(document, path[:-1]) if emptied else document


def _place(document: Document, path: tuple[str | int, ...]) -> tuple[Node, int]:
    container = document.at(*path[:-1])
    position = None if container is None else _position(container, path[-1])
    if container is None or position is None:
        raise KeyError(path)
    return container, position


def _position(node: Node, step: str | int) -> int | None:
    if isinstance(step, int):
        return step
    return node.keys.index(step) if step in node.keys else None


def _put(document: Document, container: Node, *, path: tuple[str, ...], value: object) -> Document:
    position = _position(container, path[0])
    if position is None:
        return _add(document, container, _nested(path[1:], value), key=path[0])
    if len(path) == 1:
        return _replace(document, container, position, value=value)
    return _put(document, container.children[position], path=path[1:], value=value)


def _nested(keys: tuple[str, ...], value: object) -> object:
    for key in reversed(keys):
        value = {key: value}
    return value


def _add(document: Document, container: Node, value: object, *, key: str | None = None) -> Document:
    """Puts a value at the container's end, written as its neighbours are."""
    text = document.text
    label = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}{_colon(document)}"
    if container.children:
        gap, at = _gap(document, container), container.children[-1].end
        member = f",{gap}{label}{_written(document, value, gap=gap)}"
    else:
        gap, at = _opening_gap(document, container), container.start + 1
        closing = _closing_gap(document, container) if gap else ""
        member = f"{gap}{label}{_written(document, value, gap=gap)}{closing}"
    return read(text[:at] + member + text[at:])


def _replace(document: Document, container: Node, position: int, *, value: object) -> Document:
    old = container.children[position]
    if value_at(document.text, old) == value:
        return document
    gap = _lead(document, container.starts[position])
    written = _written(document, value, gap=gap)
    return read(document.text[: old.start] + written + document.text[old.end :])


def _cut(document: Document, container: Node, position: int) -> Document:
    """The child goes with the comma and the space that `_add` would have given it."""
    text, child = document.text, container.children[position]
    if position > 0:
        start, end = container.children[position - 1].end, child.end
    elif len(container.children) > 1:
        start, end = container.starts[0], container.starts[1]
    else:
        start, end = container.start + 1, child.end
        closing = _closing_gap(document, container)
        end += len(closing) if text.startswith(closing, end) else 0
    return read(text[:start] + text[end:])


def _lead(document: Document, at: int) -> str:
    """The space before a place, from its last line break on."""
    before = document.text[:at]
    space = before[len(before.rstrip(" \t\r\n")) :]
    if "\n" not in space:
        return space
    earlier, _, indent = space.rpartition("\n")
    return f"\r\n{indent}" if earlier.endswith("\r") else f"\n{indent}"


def _colon(document: Document) -> str:
    first = document.root.children[:1]
    return ":" if first and document.text[first[0].start - 1] == ":" else ": "


def _gap(document: Document, container: Node) -> str:
    lead = _lead(document, container.starts[-1])
    if "\n" in lead or len(container.children) > 1:
        return lead
    return " " if _colon(document) == ": " else ""


def _is_inline(document: Document) -> bool:
    starts = document.root.starts
    return bool(starts) and "\n" not in _lead(document, starts[0])


def _unit(document: Document) -> str:
    starts = document.root.starts
    lead = _lead(document, starts[0]) if starts else ""
    return lead.partition("\n")[2] or "  "


def _opening_gap(document: Document, container: Node) -> str:
    if _is_inline(document):
        return ""
    return _closing_gap(document, container) + _unit(document)


def _closing_gap(document: Document, container: Node) -> str:
    text = document.text
    line = text[text.rfind("\n", 0, container.start) + 1 : container.start]
    line = line.removeprefix(BYTE_ORDER_MARK)
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    return ("\r\n" if "\r\n" in text else "\n") + indent


def _written(document: Document, value: object, *, gap: str) -> str:
    colon = _colon(document)
    if "\n" not in gap:
        comma = ", " if colon == ": " else ","
        return json.dumps(value, ensure_ascii=False, separators=(comma, colon))
    unit = _unit(document)
    written = json.dumps(value, ensure_ascii=False, indent=unit, separators=(",", colon))
    return written.replace("\n", gap)
