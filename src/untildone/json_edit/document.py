"""A JSON document whose values are set, appended and removed by path."""

from msgspec import Struct

from untildone.json_edit import edits
from untildone.json_edit.scan import BYTE_ORDER_MARK, Node, decode_node, scan


class Document(Struct, frozen=True, kw_only=True):
    text: str
    root: Node

    def get_value(self, *path: str | int) -> object:
        node = self.find_node(*path)
        return None if node is None else decode_node(self.text, node)

    def find_node(self, *path: str | int) -> Node | None:
        node = self.root
        for step in path:
            position = _find_position(node, step)
            if position is None:
                return None
            node = node.children[position]
        return node

    @property
    def style(self) -> edits.Style:
        """Return the style in which the document's first member is written."""
        if not self.root.children:
            return edits.Style()
        gap = edits.find_gap(self.text, self.root.starts[0])
        return edits.Style(
            colon=":" if self.text[self.root.children[0].start - 1] == ":" else ": ",
            unit=gap.partition("\n")[2] or "  ",
        )


def read(text: str) -> Document:
    """Read the text; an empty one is an empty object."""
    if not text.removeprefix(BYTE_ORDER_MARK).strip():
        text = "{}\n"
    return Document(text=text, root=scan(text))


def put(document: Document, path: tuple[str, ...], value: object) -> Document:
    """Set a key, and create the objects that are missing on the way."""
    return _put(document, document.root, path=path, value=value)


def append(document: Document, path: tuple[str, ...], value: object) -> Document:
    array = document.find_node(*path)
    return put(document, path, [value]) if array is None else _add(document, array, value)


def replace(document: Document, path: tuple[str | int, ...], value: object) -> Document:
    container, position = _locate(document, path)
    return _replace(document, container, position, value=value)


def cut(document: Document, path: tuple[str | int, ...]) -> Document:
    """Remove a value, and every container that this leaves empty."""
    container, position = _locate(document, path)
    document = _cut(document, container, position)
    is_emptied = len(container.children) == 1 and len(path) > 1
    return cut(document, path[:-1]) if is_emptied else document


def _locate(document: Document, path: tuple[str | int, ...]) -> tuple[Node, int]:
    container = document.find_node(*path[:-1])
    position = None if container is None else _find_position(container, path[-1])
    if container is None or position is None:
        raise KeyError(path)
    return container, position


def _find_position(node: Node, step: str | int) -> int | None:
    if isinstance(step, int):
        return step
    return node.keys.index(step) if step in node.keys else None


def _put(document: Document, container: Node, *, path: tuple[str, ...], value: object) -> Document:
    position = _find_position(container, path[0])
    if position is None:
        for key in reversed(path[1:]):
            value = {key: value}
        return _add(document, container, value, key=path[0])
    if len(path) == 1:
        return _replace(document, container, position, value=value)
    return _put(document, container.children[position], path=path[1:], value=value)


def _apply(document: Document, edit: edits.Edit) -> Document:
    return read(edits.apply_edits(document.text, (edit,)))


def _add(document: Document, container: Node, value: object, *, key: str | None = None) -> Document:
    """Put a value at the container's end, written like its neighbours."""
    gap = _find_child_gap(document, container)
    if key is None:
        text = edits.format_value(value, gap=gap, style=document.style)
    else:
        text = edits.format_member(key, value, gap=gap, style=document.style)
    if container.children:
        return _apply(document, edits.append_text(container, text, gap=gap))
    closing = _find_closing_gap(document, container) if gap else ""
    at = container.start + 1
    return _apply(document, edits.Edit(start=at, end=at, text=f"{gap}{text}{closing}"))


def _replace(document: Document, container: Node, position: int, *, value: object) -> Document:
    if decode_node(document.text, container.children[position]) == value:
        return document
    edit = edits.replace_child(document.text, container, position, value, style=document.style)
    return _apply(document, edit)


def _cut(document: Document, container: Node, position: int) -> Document:
    """Remove the child with the comma and the space that `_add` would have given it."""
    child = container.children[position]
    if position > 0:
        start, end = container.children[position - 1].end, child.end
    elif len(container.children) > 1:
        start, end = container.starts[0], container.starts[1]
    else:
        start, end = container.start + 1, child.end
        closing = _find_closing_gap(document, container)
        end += len(closing) if document.text.startswith(closing, end) else 0
    return _apply(document, edits.Edit(start=start, end=end, text=""))


def _find_child_gap(document: Document, container: Node) -> str:
    """Return the space before a new last child."""
    if container.children:
        gap = edits.find_gap(document.text, container.starts[-1])
        if "\n" in gap or len(container.children) > 1:
            return gap
        return " " if document.style.colon == ": " else ""
    starts = document.root.starts
    if starts and "\n" not in edits.find_gap(document.text, starts[0]):
        return ""
    return _find_closing_gap(document, container) + document.style.unit


def _find_closing_gap(document: Document, container: Node) -> str:
    """Return the line break and indentation before the container's closing bracket."""
    text = document.text
    line = text[text.rfind("\n", 0, container.start) + 1 : container.start]
    line = line.removeprefix(BYTE_ORDER_MARK)
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    return ("\r\n" if "\r\n" in text else "\n") + indent
