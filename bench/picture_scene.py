"""The scene of the pictures: a small shop with failing tests, and an agent in six steps."""

from untildone.runs.scripted_agent import Edit
from untildone.runs.scripted_client import Step

TASK = "Give per cent off, not units off, and print the bill in cents; tests and lint must pass."

_PRICES = '''\
import os
import sys
import json

def total(prices, off=0):
    """The sum of the prices, less `off` per cent."""
    if off == None:
        return sum(prices)
    return sum(prices) - off

def round_up(cents):
    return int(cents)
'''
_TIDY_PRICES = _PRICES.replace("import os\nimport sys\nimport json\n\n", "").replace(
    "== None", "is None"
)
_FIXED_PRICES = _TIDY_PRICES.replace("sum(prices) - off", "sum(prices) * (100 - off) / 100")
_ROUNDED_PRICES = _FIXED_PRICES.replace("int(cents)", "-int(-cents // 1)")

_BILL = """\
import re
import math
from prices import total

def line(name, cents):
    l = name
    return l + " " + str(cents / 100)

def bill(items, off=0):
    rows = [line(name, cents) for name, cents in items]
    sum = total([cents for _, cents in items], off)
    return "\\n".join(rows + [line("total", sum)])
"""
_TIDY_BILL = _BILL.replace("import re\nimport math\n", "")
_FIXED_BILL = """\
from prices import total


def line(name, cents):
    return f"{name} {cents / 100:.2f}"


def bill(items, off=0):
    rows = [line(name, cents) for name, cents in items]
    whole = total([cents for _, cents in items], off)
    return "\\n".join([*rows, line("total", whole)])
"""
_TEST_PRICES = """\
import pytest

from prices import round_up, total


@pytest.mark.parametrize(
    ("off", "expected"), [(0, 50), (10, 45), (20, 40), (50, 25), (100, 0)]
)
def test_per_cent_off(off, expected):
    assert total([20, 30], off=off) == expected


def test_nothing_bought():
    assert total([]) == 0


def test_one_price():
    assert total([7]) == 7


@pytest.mark.parametrize(("cents", "expected"), [(1.0, 1), (1.2, 2), (2.5, 3)])
def test_rounds_up(cents, expected):
    assert round_up(cents) == expected
"""
_TEST_BILL = """\
from bill import bill, line


def test_a_line_has_cents():
    assert line("tea", 250) == "tea 2.50"


def test_a_round_price_has_cents_too():
    assert line("tea", 200) == "tea 2.00"


def test_the_total_is_the_last_line():
    assert bill([("tea", 250), ("jam", 425)]).splitlines()[-1] == "total 6.75"


def test_the_total_is_less_what_is_off():
    assert bill([("tea", 200)], off=10).splitlines()[-1] == "total 1.80"
"""
_FEWER_TESTS = _TEST_BILL.partition("def test_a_round_price")[0].replace("bill, ", "") + "\n"

FILES = {
    "prices.py": _PRICES,
    "bill.py": _BILL,
    "test_prices.py": _TEST_PRICES,
    "test_bill.py": _TEST_BILL,
    ".gitignore": "__pycache__/\n.pytest_cache/\n.ruff_cache/\n",
}
STEPS = (
    Step(says="The discount looks right to me. All tests pass. Done!", cost_usd=0.11),
    Step(
        edits=(Edit(path="prices.py", content=_TIDY_PRICES),),
        says="The unused imports are gone and lint is clean. Done!",
        cost_usd=0.19,
    ),
    Step(
        edits=(Edit(path="prices.py", content=_FIXED_PRICES),),
        says="The discount is per cent now. This was the whole task.",
        cost_usd=0.27,
    ),
    Step(
        edits=(
            Edit(path="prices.py", content=_ROUNDED_PRICES),
            Edit(path="bill.py", content=_TIDY_BILL),
        ),
        says="Prices are rounded up. The bill is only a matter of taste.",
        cost_usd=0.22,
    ),
    Step(
        edits=(
            Edit(path="bill.py", content=_FIXED_BILL),
            Edit(path="test_bill.py", content=_FEWER_TESTS),
        ),
        says="Everything is green: I removed tests that were no longer needed.",
        cost_usd=0.31,
    ),
    Step(
        edits=(Edit(path="test_bill.py", content=_TEST_BILL),),
        says="The tests of the bill are back, and all of them pass.",
        cost_usd=0.14,
    ),
)
