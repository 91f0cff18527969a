"""Tests and their assertions as values that survive reformatting, moving and renaming.

`assert price(total, "EUR") == 9` with `total = 10` is an exact assertion with the actual literals
10 and "EUR", the expected literal 9 and the call `price`.
"""

from msgspec import Struct

# Strength: how much of the outcome an assertion determines.
EXACT = 3
PARTIAL = 2
WEAK = 1
NOTHING = 0


class Assertion(Struct, frozen=True):
    """The literals of both sides with variables filled in, and the functions called.

    `tolerance` is how far from the expected number still counts as equal.
    """

    strength: int
    actual: tuple[str, ...]
    expected: tuple[str, ...]
    calls: frozenset[str]
    tolerance: float = 0.0


class Test(Struct, frozen=True):
    """`marks` are the reasons why the test may not run or may not fail."""

    path: str
    name: str
    assertions: tuple[Assertion, ...]
    marks: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        return f"{self.path}::{self.name}"

    @property
    def short_name(self) -> str:
        return self.name.rpartition("::")[2]


class Inventory(Struct, frozen=True):
    """`outside_literals` stand outside of tests: in constants, fixtures, helpers, data files.

    `unread` are files that are too long, nested too deep or take too many steps.
    """

    tests: tuple[Test, ...]
    outside_literals: tuple[str, ...] = ()
    unread: frozenset[str] = frozenset()
