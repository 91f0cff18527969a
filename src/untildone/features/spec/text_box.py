"""A box of lines with a title, drawn with characters, at most 78 columns wide.

╭─ SHIP ─────────╮
│ Verified: all  │
├────────────────┤
│ ↳ Risk: none   │
╰────────────────╯
"""

import unicodedata

from untildone.core.text import to_one_line

_MAX_WIDTH = 74
_MIN_WIDTH = 34


def draw_box(title: str, *groups: tuple[str, ...]) -> list[str]:
    """Return the lines of the box; a rule separates the groups, and empty groups are left out."""
    shown = [[_shorten(to_one_line(line)) for line in group] for group in groups if group]
    widths = [_measure(line) for group in shown for line in group]
    width = max(_MIN_WIDTH, _measure(title) + 2, *widths)
    lines = [f"╭─ {title} {'─' * (width - _measure(title) - 1)}╮"]
    for number, group in enumerate(shown):
        lines += [f"├{'─' * (width + 2)}┤"] if number else []
        lines += [f"│ {line}{' ' * (width - _measure(line))} │" for line in group]
    return [*lines, f"╰{'─' * (width + 2)}╯"]


def _shorten(line: str) -> str:
    """Return the line, or its beginning with an ellipsis where it does not fit."""
    if _measure(line) <= _MAX_WIDTH:
        return line
    while _measure(line) > _MAX_WIDTH - 1:
        line = line[:-1]
    return f"{line.rstrip()}…"


def _measure(text: str) -> int:
    """Return how many columns a terminal needs: two for wide characters, none for accents."""
    return sum(_measure_character(character) for character in text)


def _measure_character(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
