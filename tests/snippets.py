"""Source text of other programs, written in a test as an indented block."""

from textwrap import dedent


def snippet(text: str) -> str:
    """The text without its indentation and without the line break after the opening quotes."""
    return dedent(text).removeprefix("\n")
