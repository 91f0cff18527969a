"""Lines of Markdown lists: headings, check boxes, other text; code blocks are text."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_HEADING = re.compile(r"[ \t]*(?P<marks>#{1,6})[ \t]+(?P<text>.*)")
# "- [ ] Parse dates", "1. [x] Read files"; a date or `[NOTE]` in brackets is not a box
_BOX = re.compile(
    r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])\s+\[(?P<mark>[ xX/~])\]\s+(?P<text>\S.*)"
)


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
        if fence or mark:
            yield Line(kind="text", text=raw)
        else:
            yield _parse_line(raw)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""


def _parse_line(raw: str) -> Line:
    heading, box = _HEADING.fullmatch(raw), _BOX.fullmatch(raw.rstrip())
    if heading:
        text = heading["text"].rstrip(" \t#")
        return Line(kind="heading", text=text, level=len(heading["marks"]))
    if box:
        indent = len(box["indent"].expandtabs(4))
        checked = box["mark"] in "xX"
        return Line(kind="box", text=box["text"], level=indent, checked=checked)
    return Line(kind="text", text=raw)


def skip_sections(lines: Iterable[Line], headings: re.Pattern[str]) -> Iterator[Line]:
    """The lines that are not in a section, or a section of a section, with such a heading."""
    skipped = 0
    for line in lines:
        if line.kind == "heading" and (not skipped or line.level <= skipped):
            skipped = line.level if headings.search(line.text) else 0
        if not skipped:
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
