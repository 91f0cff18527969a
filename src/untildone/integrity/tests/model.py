"""Tests and their assertions as values that survive reformatting, moving and renaming.

`assert price(total, "EUR") == 9` with `total = 10` is an exact assertion with the actual literals
`10.0` and `"EUR`, the expected literal `9.0` and the call `price`.
"""

from msgspec import Struct

# Strength: how much of the outcome an assertion determines.
EXACT = 3  # f(1) == 2
PARTIAL = 2  # f(1) > 0
WEAK = 1  # f(1) is not None
NOTHING = 0  # except Exception: pass


class Assertion(Struct, frozen=True):
    """What one assertion compares, with the values of variables in place of their names."""

    strength: int
    # Normalized literals of either side: `"EUR` is a text (it has no closing quote), `9.0` is 9.
    # The expected ones of a negated assertion, as `f(1) != 9`, end with `not`.
    actual: tuple[str, ...]
    expected: tuple[str, ...]
    # Names of the functions called on either side.
    calls: frozenset[str]
    # How far from the expected number still counts as equal.
    tolerance: float = 0.0

    @property
    def literals(self) -> tuple[str, ...]:
        return self.actual + self.expected


class Test(Struct, frozen=True):
    """A test as a runner collects it."""

    path: str
    # With its class or group: `TestPrice::test_small`.
    name: str
    assertions: tuple[Assertion, ...]
    # Reasons why the test may not run or may not fail, as messages show them: "`@Disabled`".
    marks: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        return f"{self.path}::{self.name}"

    @property
    def short_name(self) -> str:
        """The name without its class or group."""
        return self.name.rpartition("::")[2]


class Inventory(Struct, frozen=True):
    """The tests of some files of a tree."""

    tests: tuple[Test, ...]
    # Literals that stand outside of tests: in constants, fixtures, helpers, data files.
    outside_literals: tuple[str, ...] = ()
    # Files that are too long, nested too deep or take too many steps.
    unread: frozenset[str] = frozenset()
