"""Names that the product defines and names that tests call, found by regular expressions.

They tell whether a name that a test mocks or no longer calls is one of the tested product: of
`def price(total):` in `shop.py` and `price(10)` in `test_shop.py` it is `price`.
"""

import re

from untildone.core.late_patterns import compile_late
from untildone.syntax.languages import language_of_tests
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_DEFINITION = compile_late(
    # def price(, class Cart, func (c *Cart) Price(, fn price, struct Cart
    r"\b(?:def|class|func(?:\s*\([^)]*\))?|fn|function\*?|struct|interface|type|trait)\s+(\w+)"
    # export const price = (total) => …, public static int price(int total) {
    r"|^[^\S\n]*(?:(?:export|public|private|protected|static|async|final|override|const|let|var)"
    r"[^\S\n]+)*(?:[\w<>\[\],.?]+[^\S\n]+)?(\w+)[^\S\n]*"
    r"(?:=[^\S\n]*(?:async[^\S\n]*)?(?:function\b|\()|\([^;{}\n]*\)[^;{}\n]*\{)",
    re.MULTILINE,
)
# `if (ready) {` looks like the definition of a method.
_KEYWORDS = words("if for while switch catch return function match else")
_MAX_FILE_LENGTH = 400_000
_MAX_PRODUCT_LENGTH = 40_000_000


def find_defined_names(text: str) -> frozenset[str]:
    """Return the functions, classes and types that a source text of any language defines."""
    found = _DEFINITION.findall(text[:_MAX_FILE_LENGTH])
    return frozenset(name for groups in found for name in groups if name) - _KEYWORDS


def find_product_names(tree: Tree) -> frozenset[str]:
    """Return the names that the product defines, computed once for each tree."""
    return tree.fact(_read_product_names, "")


def _read_product_names(tree: Tree, _path: str) -> frozenset[str]:
    """Return the names in the product files, up to a length of all files together."""
    names: set[str] = set()
    length_left = _MAX_PRODUCT_LENGTH
    for path in tree:
        if length_left > 0 and language_of_tests(path) and classify_file(path) == "product":
            text = tree.text(path)
            length_left -= len(text)
            names |= find_defined_names(text)
    return frozenset(names)


def find_called_names(tree: Tree, names: frozenset[str]) -> frozenset[str]:
    """Return those of the names that the test files of the tree call."""
    uncalled = set(names)
    for path in tree:
        is_test_file = language_of_tests(path) and classify_file(path) == "test"
        # Rust files hold tests beside the product.
        if uncalled and (is_test_file or path.endswith(".rs")):
            text = tree.text(path)
            uncalled -= {name for name in uncalled if re.search(rf"\b{re.escape(name)}\s*\(", text)}
    return names - uncalled
