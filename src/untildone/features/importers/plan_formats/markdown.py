"""Markdown lines of plans: headings, check boxes, other text; code blocks are text."""

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

_FENCE = re.compile(r"[ \t]*(```|~~~)")
_HEADING = re.compile(r"(?P<marks>#{1,6})\s+(?P<text>.*?)[\s#]*")
# "- [ ] Parse dates", "1. [x] Read files"; a date or `[NOTE]` in brackets is not a box
_BOX = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|\d+[.)])\s+\[(?P<mark>[ xX/~-])\]\s+(?P<text>\S.*)")


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
