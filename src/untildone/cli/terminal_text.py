"""Texts that fit the terminal; a pipe gets them whole."""

import shutil
import sys

import click

from untildone.core.text import shorten


def fit_headline(text: str, *, indent: int) -> str:
    """Return the first line of a text, cut to fit after `indent` other characters."""
    first = next((line for line in map(str.strip, text.splitlines()) if line), "")
    return (
        shorten(first, shutil.get_terminal_size().columns - indent)
        if sys.stdout.isatty()
        else first
    )


def wrap_paragraph(text: str) -> str:
    if not sys.stdout.isatty():
        return f"  {text}"
    return click.wrap_text(text, shutil.get_terminal_size().columns, "  ", "  ")
