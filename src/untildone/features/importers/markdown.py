"""Markdown lines of plans: headings, check boxes, other text; code blocks are text."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

_FENCE = re.compile(r"[ \t]*(```|~~~)")
_HEADING = re.compile(r"(?P<marks>#{1,6})\s+(?P<text>.*?)[\s#]*")
# "- [ ] Parse dates", "1. [x] Read files"; a date or `[NOTE]` in brackets is not a box
_BOX = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|\d+[.)])\s+\[(?P<mark>[ xX/~-])\]\s+(?P<text>\S.*)")
_OPTIONAL = re.compile(r"\b(?:optional|future|nice to have|backlog)\b", re.IGNORECASE)


class Line(Struct, frozen=True, kw_only=True):
    """`level` is that of a heading, or the indentation of a box."""

    kind: Literal["heading", "box", "text"]
    text: str
    level: int = 0
    checked: bool = False


def parse_lines(text: str) -> Iterator[Line]:
    fence = ""
    for raw in text.splitlines():
        mark = _FENCE.match(raw)
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
            yield Line(kind="text", text=raw)
        else:
            yield Line(kind="text", text=raw) if fence else _parse_line(raw)


def _parse_line(raw: str) -> Line:
    heading, box = _HEADING.fullmatch(raw), _BOX.fullmatch(raw.rstrip())
    if heading:
        return Line(kind="heading", text=heading["text"], level=len(heading["marks"]))
    if box:
        indent = len(box["indent"].expandtabs(4))
        checked = box["mark"] in "xX"
        return Line(kind="box", text=box["text"], level=indent, checked=checked)
    return Line(kind="text", text=raw)


def skip_optional(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines that are not below a heading such as `Optional` or `Backlog`."""
    optional = False
    for line in lines:
        if line.kind == "heading":
            optional = _OPTIONAL.search(line.text) is not None
        if not optional:
            yield line


def list_boxes(lines: Iterable[Line]) -> list[Line]:
    return [line for line in lines if line.kind == "box"]


def find_title(lines: Iterable[Line], *, level: int = 0) -> str:
    """The first heading, of that level if one is given."""
    headings = (line for line in lines if line.kind == "heading")
    return next((line.text for line in headings if level in (0, line.level)), "")


def join_text_lines(lines: Iterable[Line]) -> str:
    """The text between the boxes."""
    text = "\n".join(line.text for line in lines if line.kind == "text")
    return re.sub(r"\n{3,}", "\n\n", text).strip()
