"""Texts measured in the columns of a terminal, and cut to fit them."""

import unicodedata
from itertools import accumulate

_MOST_PER_COLUMN = 4


def measure_columns(text: str) -> int:
    """Return how many columns a terminal needs: two for wide characters, none for accents."""
    return len(text) if text.isascii() else sum(map(_measure_character, text))


def fit_columns(text: str, limit: int) -> str:
    """Return the text, or its beginning with an ellipsis where it is wider than the limit."""
    # Enough for a few accents on each character; a huge line is not measured whole.
    head = text[: _MOST_PER_COLUMN * max(0, limit)]
    if head == text and measure_columns(text) <= limit:
        return text
    if limit <= 2:
        return ""
    ends = accumulate(map(_measure_character, head))
    kept = sum(end <= limit - 2 for end in ends)
    return f"{text[:kept].rstrip()} …"


def _measure_character(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
