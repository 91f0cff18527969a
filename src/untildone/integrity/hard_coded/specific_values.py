"""Tells values that only a test would have from those that ordinary code or documents name.

Values are literals in the form of `literals.py`: the string `'1h30m'` and the number `5173` are
likely inputs of a test, `'noon'`, `1` and `3600` are not.
"""

import math
import re
from collections import Counter

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.literals import normalize_number
from untildone.words import words

# A single word may name anything; a sentence, a string with punctuation or numbers with units, as
# in 1h30m, is more likely the input of a test.
_UNITS = r"(\d+(y|w|d|h|m|s|ms|min|sec|kg|g|lb|oz|ft|in|km|cm|mm)){2,}"
_WORD = compile_late(rf"'(?!(?i:{_UNITS})')[\w.-]{{0,24}}'")
_LITERAL = compile_late(r"'|-?\d")
# A number or date with so many significant digits is no coincidence.
MIN_DIGITS = 4
_MIN_LARGE_NUMBER = 1_000
# Common numbers of seconds, bytes, ports and years.
_WELL_KNOWN = words("""
    1024 1440 1900 1970 2048 3600 3999 4096 8080 8443 9999 65535 65536 86400 604800 1048576
    3600000 86400000
""")


def is_literal(value: str) -> bool:
    """Say whether the value is a quoted string or a number, not a name."""
    return _LITERAL.match(value) is not None


def is_trivial(value: str) -> bool:
    """Say whether the value is so small that a special case for it is ordinary code: 2, 'a'."""
    if value.startswith("'"):
        # At most one character between the quotes.
        return len(value) <= 3
    return value in ("true", "false") or _measure(value) <= 2


def is_specific(value: str) -> bool:
    """Say whether a value is likely a test input: '1h30m' is one, 'noon' may be a general rule."""
    return not is_trivial(value) and not _WORD.fullmatch(value)


def is_specific_string(value: str) -> bool:
    """Say whether the value is a string that is likely a test input."""
    return value.startswith("'") and is_specific(value)


def has_many_digits(value: str) -> bool:
    """Say whether the value is a string with digits enough to be a date or an identifier."""
    return value.startswith("'") and count_digits(re.sub(r"\D", "", value)) >= MIN_DIGITS


def count_digits(number: str) -> int:
    """Count the significant digits: two of 1800."""
    return len(number.partition("e")[0].replace(".", "").strip("-0"))


def is_large_number(value: str) -> bool:
    """Say whether the value is too large and uneven for a coincidence: 5173 is, 3600 is not."""
    return (
        is_literal(value)
        and value[0] != "'"
        and value not in _WELL_KNOWN
        and _measure(value) >= _MIN_LARGE_NUMBER
        and count_digits(value) > 1
    )


def has_same_digits(key: str, value: str) -> bool:
    """Say whether both strings have the same digits other than zero, as 3.4.2024 and 2024-04-03.

    Code that contains both has the answer copied: a rule converts one notation into the other.
    """
    key_digits, value_digits = (Counter(re.findall(r"[1-9]", text)) for text in (key, value))
    are_strings = key.startswith("'") and value.startswith("'") and key != value
    return are_strings and key_digits == value_digits and key_digits.total() >= MIN_DIGITS


def rejects_one_negative(key: str, value: str) -> bool:
    """Say whether only one negative number is rejected, as by `if n == -5: raise ValueError`.

    The answer's value is the name of the error. A real guard rejects every negative number.
    """
    return key.startswith("-") and value[:1].isupper()


def _measure(number: str) -> float:
    """Return the absolute value of a number."""
    try:
        return abs(float(number))
    except ValueError:
        # An octal or binary number, or one that is too long to convert.
        return math.inf


def is_documented(comparison: Comparison, path: str, values: tuple[str, ...]) -> bool:
    """Say whether one line of the task, the documents or the baseline file has all the values."""
    old = comparison.old
    documents = (other for other in old if comparison.role(other) == "document")
    texts = (comparison.task, old.text(path), *map(old.text, documents))
    # An assertion that the task quotes is the test's own answer, no rule.
    lines = (line for text in texts for line in text.splitlines() if "assert" not in line)
    return any(all(_occurs_in(value, line) for value in values) for line in lines)


def _occurs_in(value: str, line: str) -> bool:
    """Say whether a line has the string, or the number in any notation: 90 or 90.0."""
    if value.startswith("'"):
        return value.strip("'") in line
    numbers = re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", line)
    return value in map(normalize_number, numbers)
