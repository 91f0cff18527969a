"""Single edits of a JSON text, written in the style of their neighbours."""

import json
from collections.abc import Iterable

from msgspec import Struct

from untildone.json_edit.scan import Node

# Enough for the deepest indentation; a larger slice of a large text would be slow to copy.
_WIDEST_GAP = 400


class Edit(Struct, frozen=True, kw_only=True):
    start: int
    end: int
    text: str


class Style(Struct, frozen=True, kw_only=True):
    """`unit` is one level of indentation."""

    colon: str = ": "
    unit: str = "  "
    lists_on_one_line: bool = False

    @property
    def comma(self) -> str:
        return ", " if self.colon == ": " else ","


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply all edits at once; their places are those of the text before any of them."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        parts += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join((*parts, text[at:]))


def find_gap(text: str, at: int) -> str:
    """Return the space before a place, from its last line break on."""
    before = text[max(0, at - _WIDEST_GAP) : at]
    space = before[len(before.rstrip(" \t\r\n")) :]
    if "\n" not in space:
        return space
    earlier, _, indent = space.rpartition("\n")
    return f"\r\n{indent}" if earlier.endswith("\r") else f"\n{indent}"


def format_member(key: str, value: object, *, gap: str, style: Style) -> str:
    name = json.dumps(key, ensure_ascii=False)
    return f"{name}{style.colon}{format_value(value, gap=gap, style=style)}"


def format_value(value: object, *, gap: str, style: Style) -> str:
    """Format a value, on one line if the member itself has no line of its own."""
    is_compact = style.lists_on_one_line and not isinstance(value, dict)
    if is_compact or "\n" not in gap:
        separators = style.comma, style.colon
        return json.dumps(value, ensure_ascii=False, separators=separators)
    separators = ",", style.colon
    lines = json.dumps(value, ensure_ascii=False, indent=style.unit, separators=separators)
    return lines.replace("\n", gap)


def replace_child(
    text: str, container: Node, position: int, value: object, *, style: Style
) -> Edit:
    old = container.children[position]
    gap = find_gap(text, container.starts[position])
    return Edit(start=old.start, end=old.end, text=format_value(value, gap=gap, style=style))


def append_text(container: Node, text: str, *, gap: str) -> Edit:
    """Return the edit that adds a formatted child to a container that has some."""
    end = container.children[-1].end
    return Edit(start=end, end=end, text=f",{gap}{text}")
