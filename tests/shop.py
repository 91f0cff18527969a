"""A small shop with a wrong price: its code, its tests, and the fix."""

import sys

PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
BROKEN = """\
def price(total):
    return total
"""
FIXED = """\
def price(total):
    return total if total < 100 else total * 9 // 10
"""
TESTS = """\
from shop import price

def test_small():
    assert price(10) == 10

def test_large():
    assert price(100) == 90
"""
SHOP = {"shop.py": BROKEN, "tests/test_shop.py": TESTS, "conftest.py": ""}
# An agent that says so at its stop is done by its own account, whatever the checks say.
DONE_SIGNAL = "EXIT_SIGNAL: true"
