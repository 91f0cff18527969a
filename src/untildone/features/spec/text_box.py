"""A box of lines with a title, drawn with characters, at most 78 columns wide.

╭─ SHIP ─────────╮
│ Verified: all  │
├────────────────┤
│ ↳ Risk: none   │
╰────────────────╯
"""

from untildone.core.text import to_one_line
from untildone.report.columns import measure_columns

_MAX_WIDTH = 74
_MIN_WIDTH = 34


def draw_box(title: str, *groups: tuple[str, ...]) -> list[str]:
    """Return the lines of the box; a rule separates the groups, and empty groups are left out."""
    shown = [[_shorten(to_one_line(line)) for line in group] for group in groups if group]
    widths = [measure_columns(line) for group in shown for line in group]
    width = max(_MIN_WIDTH, measure_columns(title) + 2, *widths)
    lines = [f"╭─ {title} {'─' * (width - measure_columns(title) - 1)}╮"]
    for number, group in enumerate(shown):
        lines += [f"├{'─' * (width + 2)}┤"] if number else []
        lines += [f"│ {line}{' ' * (width - measure_columns(line))} │" for line in group]
    return [*lines, f"╰{'─' * (width + 2)}╯"]


def _shorten(line: str) -> str:
    """Return the line, or its beginning with an ellipsis where it does not fit."""
    if measure_columns(line) <= _MAX_WIDTH:
        return line
    while measure_columns(line) > _MAX_WIDTH - 1:
        line = line[:-1]
    return f"{line.rstrip()}…"
