"""A module that prices, its tests in three forms, and the concerns about edits of them."""

from pathlib import Path

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.tests import comparison as tests_comparison

PRODUCT = {
    "pricing.py": snippet("""
        def final_price(total):
            return total


        def rate(total):
            return 0.1
    """)
}
START = """import pytest

from pricing import final_price, rate


def test_small():
    assert final_price(50) == 50


def test_hundred():
    assert final_price(100) == 90


def test_negative():
    with pytest.raises(ValueError):
        final_price(-1)
"""
TABLE = """import pytest

from pricing import final_price


@pytest.mark.parametrize("total, want", [(50, 50), (100, 90), (500, 400)])
def test_price(total, want):
    assert final_price(total) == want
"""
UNIT = """import unittest

from pricing import final_price


class PriceTest(unittest.TestCase):
    def test_small(self):
        self.assertEqual(final_price(50), 50)

    def test_hundred(self):
        self.assertEqual(final_price(100), 90)

    def test_negative(self):
        with self.assertRaises(ValueError):
            final_price(-1)
"""
HUNDRED = "    assert final_price(100) == 90\n"


def find_ids(
    top: Path, old: str, new: dict[str, str], path: str = "tests/test_pricing.py"
) -> set[str]:
    comparison = compare_projects(top, {**PRODUCT, path: old}, {**PRODUCT, **new})
    return {concern.id.partition("#")[0] for concern in tests_comparison.find_concerns(comparison)}


def find_ids_of_edit(top: Path, old: str, change: tuple[str, str]) -> set[str]:
    assert change[0] in old
    return find_ids(top, old, {"tests/test_pricing.py": old.replace(*change)})


EDIT = "edit-test:tests/test_pricing.py:"
EXPECT = "edit-expected:tests/test_pricing.py:"
REMOVE = "remove-test:tests/test_pricing.py::"
HEAD = "import pytest\n\nfrom pricing import final_price, rate\n\n\n"
SMALL = "def test_small():\n    assert final_price(50) == 50\n\n\n"
NEGATIVE = """\
def test_negative():
    with pytest.raises(ValueError):
        final_price(-1)


"""
HUNDRED_TEST = "def test_hundred():\n    assert final_price(100) == 90\n\n\n"
