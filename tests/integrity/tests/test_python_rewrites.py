"""pytest and unittest: which edits only rewrite a test."""

from pathlib import Path

import pytest

from integrity.tests.pricing import (
    HEAD,
    HUNDRED,
    HUNDRED_TEST,
    NEGATIVE,
    PRODUCT,
    SMALL,
    START,
    UNIT,
    find_ids,
)
from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.tests import comparison as tests_comparison


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"tests/test_renamed.py": START}, id="the file renamed"),
        pytest.param({"tests/unit/test_pricing.py": START}, id="the file moved"),
        pytest.param(
            {"tests/test_a.py": HEAD + SMALL, "tests/test_b.py": HEAD + HUNDRED_TEST + NEGATIVE},
            id="the file split",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + SMALL.replace("test_small", "test_fifty")
                + HUNDRED_TEST
                + NEGATIVE
            },
            id="a test renamed",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + snippet("""
                    def test_prices():
                        assert final_price(50) == 50
                        assert final_price(100) == 90


                """)
                + NEGATIVE
            },
            id="two tests joined",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + snippet("""
                    @pytest.mark.parametrize("a,b", [(50, 50), (100, 90), (7, 7)])
                    def test_price(a, b):
                        assert final_price(a) == b


                """)
                + NEGATIVE
            },
            id="folded into a table",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + snippet("""
                    CASES = [(50, 50), (100, 90)]


                    @pytest.mark.parametrize(("a", "b"), CASES, ids=["x", "y"])
                    def test_price(a, b):
                        assert final_price(a) == b


                """)
                + NEGATIVE
            },
            id="the table in a constant",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + snippet("""
                    def test_prices():
                        for a, b in [(50, 50), (100, 90)]:
                            assert final_price(a) == b


                """)
                + NEGATIVE
            },
            id="folded into a loop",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + "PRICES = {50: 50, 100: 90}\n\n\n"
                + SMALL
                + HUNDRED_TEST
                + NEGATIVE
            },
            id="a constant nobody uses",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + "TOTAL = 100\nWANT = 90\n\n\n"
                + SMALL
                + snippet("""
                    def test_hundred():
                        got = final_price(TOTAL)
                        assert got == WANT, got


                """)
                + NEGATIVE
            },
            id="constants and a variable",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + SMALL
                + snippet("""
                    @pytest.fixture
                    def total():
                        return 100


                    def test_hundred(total):
                        assert final_price(total) == 90


                """)
                + NEGATIVE
            },
            id="a fixture",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + SMALL
                + "def test_hundred():\n    assert 90 == final_price(100)\n\n\n"
                + NEGATIVE
            },
            id="the other way round",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + SMALL
                + "def test_hundred():\n    assert final_price(100) == pytest.approx(90.0)\n\n\n"
                + NEGATIVE
            },
            id="rounding allowed",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + SMALL
                + HUNDRED_TEST
                + snippet("""
                    def test_negative():
                        with pytest.raises(ValueError, match='negative'):
                            final_price(-1)
                """)
            },
            id="stricter about the error",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + SMALL
                + HUNDRED_TEST
                + "def test_negative():\n    pytest.raises(ValueError, final_price, -1)\n"
            },
            id="raises as a call",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + snippet("""
                    class TestPrice:
                        def test_small(self):
                            assert final_price(50) == 50

                        def test_hundred(self):
                            assert final_price(100) == 90

                        def test_negative(self):
                            with pytest.raises(ValueError):
                                final_price(-1)
                """)
            },
            id="functions to a class",
        ),
        pytest.param({"tests/test_pricing.py": UNIT}, id="functions to unittest"),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + snippet("""
                    def check(a, b):
                        assert final_price(a) == b


                    def test_small():
                        check(50, 50)


                    def test_hundred():
                        check(a=100, b=90)


                """)
                + NEGATIVE
            },
            id="a helper",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": snippet("""
                    import pytest

                    from pricing import final_price
                    from tests.checks import check


                    def test_small():
                        check(50, 50)


                    def test_hundred():
                        check(100, 90)


                """)
                + NEGATIVE,
                "tests/checks.py": snippet("""
                    from pricing import final_price


                    def check(a, b):
                        assert final_price(a) == b
                """),
            },
            id="a helper of another file",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": "import json\n"
                + HEAD
                + snippet("""
                    ROWS = json.load(open('tests/rows.json'))


                    @pytest.mark.parametrize('a, b', ROWS)
                    def test_price(a, b):
                        assert final_price(a) == b


                    def test_price_again():
                        assert final_price(ROWS[0][0]) == ROWS[0][1]


                """)
                + NEGATIVE,
                "tests/rows.json": "[[50, 50], [100, 90]]",
            },
            id="the rows in a data file",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": START
                + snippet("""


                    @pytest.mark.skipif(rate(1), reason='x')
                    def test_new():
                        assert final_price(1) == 1
                """)
            },
            id="a new test may be skipped",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": START.replace(
                    "def test_hundred():\n    assert final_price(100)",
                    "def test_hundred(hundred):\n    assert hundred",
                ),
                "tests/conftest.py": snippet("""
                    @pytest.fixture(name='hundred')
                    def _hundred():
                        return final_price(100)
                """),
            },
            id="a fixture of another name",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": START,
                "tests/conftest.py": snippet("""
                    import pytest


                    @pytest.fixture
                    def docker():
                        pytest.skip('none here')
                """),
                "tests/test_docker.py": "def test_docker(docker):\n    assert docker\n",
            },
            id="a new fixture that skips new tests",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": START.replace("== 90", "== 90.00").replace(
                    "def test_hundred():",
                    snippet('''
                        def test_hundred():
                            """Ten per cent."""
                            # as the specification says'''),
                )
            },
            id="written in another way",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + SMALL
                + snippet("""
                    def test_hundred():
                        try:
                            price = final_price(100)
                        except KeyError as error:
                            raise AssertionError from error
                        assert price == 90


                """)
                + NEGATIVE
            },
            id="an error told better",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": HEAD
                + snippet("""
                    def test_all():
                        assert all(final_price(a) == b for a, b in [(50, 50), (100, 90)])


                """)
                + NEGATIVE
            },
            id="all of them",
        ),
    ],
)
def test_a_rewritten_test_is_no_concern(tmp_path: Path, files: dict[str, str]) -> None:
    assert find_ids(tmp_path, START, files) == set()


def test_unittest_to_functions_is_no_concern(tmp_path: Path) -> None:
    assert find_ids(tmp_path, UNIT, {"tests/test_pricing.py": START}) == set()


def test_a_weak_assertion_may_become_strict(tmp_path: Path) -> None:
    old = START.replace("assert final_price(100) == 90", "assert final_price(100) is not None")
    assert find_ids(tmp_path, old, {"tests/test_pricing.py": START}) == set()


def test_a_renamed_function_of_the_product_is_no_concern(tmp_path: Path) -> None:
    comparison = compare_projects(
        tmp_path,
        {**PRODUCT, "tests/test_pricing.py": START},
        {
            "pricing.py": PRODUCT["pricing.py"].replace("final_price", "price"),
            "tests/test_pricing.py": START.replace("final_price", "price"),
        },
    )
    assert list(tests_comparison.find_concerns(comparison)) == []


def test_a_test_skipped_in_the_baseline_may_be_removed(tmp_path: Path) -> None:
    old = START.replace("def test_hundred", "@pytest.mark.skip\ndef test_hundred")
    new = START.replace("def test_hundred():\n" + HUNDRED, "")
    assert find_ids(tmp_path, old, {"tests/test_pricing.py": new}) == set()
