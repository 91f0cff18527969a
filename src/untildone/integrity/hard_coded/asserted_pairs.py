"""Pairs of an input and the value that a test expects for it, as literals of `literals.py`.

`assert price(501) == 400` has the pair ("501", "400").
"""

from collections.abc import Iterable
from itertools import product

from untildone.integrity.hard_coded.copied_answers import Pairs
from untildone.integrity.hard_coded.literals import normalize_literal
from untildone.integrity.tests.model import Test


def find_asserted_pairs(tests: Iterable[Test], wanted: frozenset[str]) -> Pairs:
    """Return ("501", "400") for `assert price(501) == 400` if 400 is wanted."""
    return frozenset(
        pair
        for test in tests
        for assertion in test.assertions
        if (expected := wanted.intersection(map(normalize_asserted, assertion.expected)))
        for pair in product(map(normalize_asserted, assertion.actual), expected)
    )


def normalize_asserted(literal: str) -> str:
    """Convert a literal of an assertion to the form of this package.

    The string `"abc`, which has no closing quote there, becomes `'abc'`.
    """
    return f"'{literal[1:]}'" if literal.startswith('"') else normalize_literal(literal) or literal
