"""Finds the files with helpers that tests call, so that no other test file need be parsed.

If `test_shop.py` has `check_total(cart, 30)` and `support.py` defines it, `support.py` is such a
file. In a suite of thousands of tests these are few.
"""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.tests import inventory
from untildone.integrity.tests.tested_names import find_defined_names
from untildone.words import words
from untildone.worktree.contents import Tree

_WORD = compile_late(r"\w+")
# An import names their folder.
_INDEX_NAMES = frozenset(("index", "mod", "__init__"))
# pytest loads it without an import.
_LOADED_NAME = "conftest"
# `it("adds", () => {` looks like the definition of `it`.
_RUNNER_FUNCTIONS = words("""
    describe it test suite context specify before after beforeEach afterEach beforeAll afterAll
""")


def find_helper_files(comparison: Comparison, tests: Iterable[str]) -> list[str]:
    """Return the other files that the tests in these files may call, directly or by helpers."""
    waiting = list(tests)
    candidates = {
        path: _read_names(comparison, path)
        for path in ({*comparison.old, *comparison.new}.difference(waiting) if waiting else ())
        if inventory.may_hold_helpers(path)
    }
    found: list[str] = []
    while waiting and candidates:
        mentioned = {path: _read_words(comparison, path) for path in waiting}
        waiting = [
            helper
            for helper, names in candidates.items()
            if any(
                inventory.can_call_helper(helper, path) and not names.isdisjoint(mentioned[path])
                for path in mentioned
            )
        ]
        found += waiting
        for helper in waiting:
            del candidates[helper]
    return sorted(found)


def _read_words(comparison: Comparison, path: str) -> frozenset[str]:
    texts = (tree.text(path) for tree in comparison.trees)
    return frozenset((_LOADED_NAME, *(word for text in texts for word in _WORD.findall(text))))


def _read_names(comparison: Comparison, path: str) -> frozenset[str]:
    """Return the names by which tests can refer to the file: its own, and those it defines."""
    return frozenset(name for tree in comparison.trees for name in _list_names(tree, path))


def _list_names(tree: Tree, path: str) -> Iterator[str]:
    place = PurePosixPath(path)
    stem = place.name.partition(".")[0]
    yield place.parent.name if stem in _INDEX_NAMES else stem
    yield from find_defined_names(tree.text(path)) - _RUNNER_FUNCTIONS
