"""Texts that fit the terminal; a pipe gets them whole."""

import os
import shutil
import sys
import textwrap
from typing import Any

import click
from msgspec import Struct

from untildone.checks.clean_output import clean
from untildone.report.columns import fit_columns

_FULL, _EMPTY = "█", "·"
_ASCII_FULL, _ASCII_EMPTY = "#", "-"
_NARROWEST = 20


class Display(Struct, frozen=True, kw_only=True):
    """What standard output can show."""

    # None: a pipe, where no line is cut.
    width: int | None = None
    has_colour: bool = False
    has_blocks: bool = True

    def paint(self, text: str, **style: Any) -> str:  # noqa: ANN401  click's own
        """Return the text in a style of click's, where there are colours."""
        return click.style(text, **style) if self.has_colour and style else text

    def fit(self, text: str, *, indent: int = 0) -> str:
        """Return foreign text as one inert line, cut to what fits after `indent` columns."""
        return self._cut(" ".join(clean(text).split()), indent)

    def fit_headline(self, text: str, *, indent: int) -> str:
        """Return the first line of a text, inert and cut to fit."""
        lines = map(str.strip, clean(text).splitlines())
        return self.fit(next(filter(None, lines), ""), indent=indent)

    def fit_code(self, text: str, *, indent: int) -> str:
        """Return a line of code with its blanks, inert and cut to fit."""
        return self._cut(clean(text).replace("\n", " ").expandtabs(4).rstrip(), indent)

    def _cut(self, line: str, indent: int) -> str:
        return line if self.width is None else fit_columns(line, self.width - indent)

    def wrap(self, text: str, *, indent: int) -> str:
        """Return foreign text broken between words, so that nothing of it is cut."""
        line = " ".join(clean(text).split())
        if self.width is None or len(line) <= self.width - indent:
            return line
        width = max(_NARROWEST, self.width - indent)
        return f"\n{' ' * indent}".join(textwrap.wrap(line, width, break_on_hyphens=False))

    def draw_bar(self, share: float, *, width: int) -> tuple[str, str]:
        """Return the full and the empty part of a bar; only a share of 1 fills it."""
        full = min(int(share * width + 0.5), width if share >= 1 else width - 1)
        if self.has_blocks:
            return _FULL * full, _EMPTY * (width - full)
        return _ASCII_FULL * full, _ASCII_EMPTY * (width - full)


def open_display() -> Display:
    """Return what the standard output of this process can show."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    has_blocks = encoding.startswith("utf")
    if not sys.stdout.isatty():
        return Display(has_blocks=has_blocks)
    has_colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    columns = shutil.get_terminal_size().columns
    return Display(width=columns, has_colour=has_colour, has_blocks=has_blocks)


def fit_headline(text: str, *, indent: int) -> str:
    """Return the first line of a text, inert and cut to fit after `indent` other characters."""
    return open_display().fit_headline(text, indent=indent)


def wrap_paragraph(text: str) -> str:
    if not sys.stdout.isatty():
        return f"  {text}"
    return click.wrap_text(text, shutil.get_terminal_size().columns, "  ", "  ")
