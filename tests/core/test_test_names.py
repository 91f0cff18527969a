"""Which file a test belongs to, and what a file is about."""

import pytest

from untildone.core.test_names import find_subject, names_file


@pytest.mark.parametrize(
    ("test", "path", "expected"),
    [
        ("tests/test_cart.py::test_total", "tests/test_cart.py", True),
        ("tests.test_cart.Cart.test_total", "tests/test_cart.py", True),
        ("CartTest.total", "src/test/java/CartTest.java", True),
        ("cart.test.js > cart > adds", "cart.test.js", True),
        ("tests/test_cart.py::test_total", "tests/test_price.py", False),
    ],
)
def test_a_test_names_its_file(test: str, path: str, *, expected: bool) -> None:
    assert names_file(test, path) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("shop/cart.py", "cart"),
        ("tests/test_cart.py", "cart"),
        ("cart/cart_test.go", "cart"),
        ("src/cart.spec.ts", "cart"),
        ("test/test-cart.mjs", "cart"),
        ("src/test/java/CartTest.java", "cart"),
        ("src/main/java/Cart.java", "cart"),
        ("cart/__init__.py", "cart"),
        ("src/cart/index.ts", "cart"),
        ("index.js", "index"),
        ("contest.py", "contest"),
    ],
)
def test_a_file_is_about_its_subject(path: str, expected: str) -> None:
    assert find_subject(path) == expected
