"""Texts made to fit a line of the terminal; in a pipe they are whole."""

import shutil
import sys
from datetime import datetime

import click

from untildone.core.text import shorten


def fit_headline(text: str, *, indent: int) -> str:
    """The first line of a text that stands behind `indent` other characters."""
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


def format_time(at: str) -> str:
    """`2026-05-04 13:07`, by the clock on the person's wall."""
    return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")
