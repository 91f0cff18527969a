"""Names of tests and the files they belong to."""

from untildone.core.late_patterns import compile_late

# test_cart, cart_test, cart-spec, test-cart, CartTest, CartTests
_TEST_AFFIX = compile_late(r"^tests?[_-]|[_-](?:tests?|spec)$|(?<=[a-z])(?:Tests?|Spec)$")
# Files that are named after their folder: the subject of `cart/__init__.py` is `cart`.
_NAMELESS = frozenset(("__init__", "index", "mod", "lib", "main"))


def names_file(test: str, path: str) -> bool:
    """Say whether the name of a test, as its runner reports it, names the file.

    pytest writes `tests/test_cart.py::test_total`, others `tests.test_cart.test_total` or the class
    `CartTest.total`, which stands in `CartTest.java`.
    """
    name = path.rpartition("/")[2]
    stem = name.partition(".")[0]
    dotted = path.removesuffix(name) + name.rpartition(".")[0]
    parts = test.replace("::", ".").replace(" > ", ".").split(".")
    return path in test or dotted.replace("/", ".") in test or stem in parts


def find_subject(path: str) -> str:
    """Return what a file is about: `cart` for `cart.py`, `test_cart.py` and `cart.test.ts`."""
    *folders, name = path.split("/")
    stem = _TEST_AFFIX.sub("", name.partition(".")[0])
    return folders[-1] if stem in _NAMELESS and folders else stem.lower()
