"""Parses the lines of a Markdown text into headings, check boxes and other text.

## Parser                 heading, level 2
- [x] Parse dates         checked box
  - [ ] With time zones   box, level 2 (its indentation)
Anything else             text, as is every line of a code block
"""

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
    """One line; `level` is that of a heading, or the columns by which a box is indented."""

    kind: Literal["heading", "box", "text"]
    text: str
    level: int = 0
    checked: bool = False


def parse_lines(text: str) -> Iterator[Line]:
    """Yield each line of the text with its kind."""
    open_fence = ""
    for raw in text.splitlines():
        fence = _FENCE.match(raw)
        if open_fence or fence:
            yield Line(kind="text", text=raw)
        else:
            yield _parse_line(raw)
        if fence and not open_fence:
            open_fence = fence[1]
        # A block ends with a fence of the same character that is at least as long.
        elif fence and fence[1].startswith(open_fence):
            open_fence = ""


def _parse_line(raw: str) -> Line:
    """Return a line outside of code blocks; `## Title ##` is the heading "Title"."""
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
    """Yield the lines without the sections, and their subsections, whose heading matches."""
    # The level of the heading whose section is being skipped; 0 outside of one.
    skipped_level = 0
    for line in lines:
        # A deeper heading belongs to the skipped section.
        is_subsection = 0 < skipped_level < line.level
        if line.kind == "heading" and not is_subsection:
            skipped_level = line.level if headings.search(line.text) else 0
        if not skipped_level:
            yield line


def list_boxes(lines: Iterable[Line]) -> list[Line]:
    return [line for line in lines if line.kind == "box"]


def find_title(lines: Iterable[Line], *, level: int = 0) -> str:
    """Return the text of the first heading, of this level unless it is 0; empty without one."""
    headings = (line for line in lines if line.kind == "heading")
    return next((line.text for line in headings if level in (0, line.level)), "")


def join_text_lines(lines: Iterable[Line]) -> str:
    """Return the lines that are neither headings nor boxes, with at most one empty line between."""
    text = "\n".join(line.text for line in lines if line.kind == "text")
    return re.sub(r"\n{3,}", "\n\n", text).strip()
