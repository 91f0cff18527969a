"""A terminal's screen as an SVG file: text that can be selected, in light and dark colours."""

from collections.abc import Iterator
from html import escape

from rich.ansi import AnsiDecoder
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

_CHARACTER = 8.4
_LINE = 19
_MARGIN = 18
_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_LIGHT = {
    **{"card": "#ffffff", "edge": "#d0d7de", "text": "#1f2328", "dim": "#59636e"},
    **{"red": "#cf222e", "green": "#1a7f37", "yellow": "#7d4e00", "blue": "#0969da"},
    **{"magenta": "#8250df", "cyan": "#1b7c83", "black": "#1f2328", "white": "#59636e"},
}
_DARK = {
    **{"card": "#0d1117", "edge": "#30363d", "text": "#e6edf3", "dim": "#9da7b3"},
    **{"red": "#ff7b72", "green": "#56d364", "yellow": "#e3b341", "blue": "#79c0ff"},
    **{"magenta": "#d2a8ff", "cyan": "#56d4dd", "black": "#9da7b3", "white": "#e6edf3"},
}


def draw_screen(screen: str, *, title: str) -> str:
    """Return the SVG of a screen with ANSI colours; the title says what it shows."""
    # tmux ends a colour where another one begins, not at the end of a line.
    lines = list(AnsiDecoder().decode(screen.rstrip("\n")))
    width = max(line.cell_len for line in lines) * _CHARACTER + 2 * _MARGIN
    height = len(lines) * _LINE + 2 * _MARGIN
    size = f'viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}"'
    card = f'x="1" y="1" width="{width - 2:.0f}" height="{height - 2}" rx="8"'
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{_format_styles()}</style>",
            f'<rect class="card" {card}/>',
            *(_draw_line(line, number) for number, line in enumerate(lines) if line.plain.strip()),
            "</svg>\n",
        )
    )


def _format_styles() -> str:
    def format_colours(colours: dict[str, str]) -> str:
        card = f".card{{fill:{colours['card']};stroke:{colours['edge']}}}"
        names = ("text", "dim", *_COLOURS)
        return card + "".join(f".{name}{{fill:{colours[name]}}}" for name in names)

    font = f"text{{font-family:{_FONT};font-size:14px;white-space:pre}}.bold{{font-weight:600}}"
    dark = f"@media(prefers-color-scheme:dark){{{format_colours(_DARK)}}}"
    return font + format_colours(_LIGHT) + dark


def _draw_line(line: Text, number: int) -> str:
    line.rstrip()
    y = _MARGIN + _LINE * number + 14
    # The card has the same width whatever font the reader has.
    length = f'textLength="{line.cell_len * _CHARACTER:.1f}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{_MARGIN}" y="{y}" {length}>{"".join(_draw_words(line))}</text>'


def _draw_words(line: Text) -> Iterator[str]:
    for text, style, _ in Segment.simplify(line.render(Console(width=1_000))):
        name = _name_classes(style or Style())
        yield f'<tspan class="{name}">{escape(text, quote=False)}</tspan>'


def _name_classes(style: Style) -> str:
    number = style.color.number if style.color else None
    colour = "text" if number is None or number > 15 else _COLOURS[number % 8]
    name = "dim" if style.dim and colour == "text" else colour
    return f"{name} bold" if style.bold else name
