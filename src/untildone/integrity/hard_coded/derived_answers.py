"""Answers that resemble their input, so that a rule would compute them and not a table."""

import re
from collections import Counter
from collections.abc import Collection
from itertools import takewhile

_MIN_LETTERS = 3
_MIN_DIGITS = 4
_MIN_ENTRIES = 3


def is_derived_table(pairs: Collection[tuple[str, str]], answers: int) -> bool:
    """Whether all answers of a table are of tests and resemble their keys: berry, berries."""
    derived = {key for key, value in pairs if has_same_beginning(key, value)}
    return len(derived) >= _MIN_ENTRIES and len(derived) == answers


def has_same_beginning(key: str, value: str) -> bool:
    """Whether both texts share at least half of the key, and three letters."""
    if not key.startswith("'") or not value.startswith("'") or key == value:
        return False
    given, made = key.strip("'"), value.strip("'")
    alike = sum(
        1
        for _ in takewhile(
            lambda comparison: comparison[0] == comparison[1], zip(given, made, strict=False)
        )
    )
    return alike >= max(_MIN_LETTERS, len(given) / 2)


def has_same_digits(key: str, value: str) -> bool:
    """Whether both texts have the same digits, as 3.4.2024 and 2024-04-03."""
    before, after = (Counter(re.findall(r"[1-9]", each)) for each in (key, value))
    texts = key.startswith("'") and value.startswith("'") and key != value
    return texts and before == after and before.total() >= _MIN_DIGITS
