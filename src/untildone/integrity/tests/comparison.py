"""Compares the baseline tests with the current ones: removed, skipped, weakened or edited tests.

Only files that changed are read, with the helpers that their tests call and the tests that call a
changed helper.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from untildone.core.baseline_comparison import MergedTest
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.tests import inventory
from untildone.integrity.tests.assertion_comparison import AssertionComparison
from untildone.integrity.tests.helper_files import find_helper_files
from untildone.integrity.tests.model import Inventory
from untildone.integrity.tests.same_tests import drop_same_tests
from untildone.integrity.tests.test_pairs import TestPair, is_disabled, mark_uncollected, pair_tests
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

# Rust: `#[cfg(test)] mod tests;` includes the file `tests.rs`.
_MODULE_DECLARATION = compile_late(r"((?:#\[[^\n]*\]\s*)*)\bmod\s+(\w+)\s*;")
# Stands for a changed helper that runs in every test.
_ANY_NAME = "*"


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each test that lost something, and for test files that cannot be read."""
    old, new = _read_inventories(comparison, drop_same_tests)
    for _, concern in _compare_tests(comparison, old, new):
        if concern is not None:
            yield concern
    changed = comparison.changes.list_paths()
    for path in sorted(old.unread | new.unread):
        if path in comparison.old and (path in changed or inventory.is_collected(path)):
            cause = "it is too long, nested too deep or takes too many steps to read"
            reason = f"the tests of `{path}` cannot be compared with the baseline: {cause}"
            yield comparison.make_concern(ConcernKind.EDIT_TEST, path, reason=reason)


def find_merged_tests(comparison: Comparison) -> tuple[MergedTest, ...]:
    """Return the baseline tests that lost nothing, each with the current test that replaces it.

    For most that is the test of the same id.
    """
    pairs = _compare_tests(comparison, *_read_inventories(comparison, _keep_all_tests))
    baseline_ids = {pair.old.id for pair, _ in pairs}
    return tuple(
        MergedTest(pair.old.id, pair.new.id, fresh=pair.new.id not in baseline_ids)
        for pair, concern in pairs
        if concern is None and pair.new is not None and pair.old.assertions
    )


def _read_inventories(
    comparison: Comparison,
    select_tests: Callable[[Comparison, Iterable[str]], tuple[Tree, Tree]],
) -> tuple[Inventory, Inventory]:
    """Return the tests of the baseline and the current ones, as far as the change concerns them."""
    paths = _select_paths(comparison)
    helpers = find_helper_files(comparison, paths)
    trees = select_tests(comparison, paths)
    old, new = (inventory.read_inventory(tree, paths, helpers=helpers) for tree in trees)
    return old, new


def _keep_all_tests(comparison: Comparison, _: Iterable[str]) -> tuple[Tree, Tree]:
    return comparison.trees


def _compare_tests(
    comparison: Comparison, old: Inventory, new: Inventory
) -> list[tuple[TestPair, Concern | None]]:
    """Return each baseline test with its current counterpart and a concern if it lost something.

    Tests that were skipped in the baseline already are left out.
    """
    current = [mark_uncollected(comparison, test) for test in new.tests]
    pairs = pair_tests([test for test in old.tests if not is_disabled(test)], current)
    # How often each literal was added outside of tests, such as in a table of test data.
    new_literals = Counter(new.outside_literals)
    new_literals.subtract(Counter(old.outside_literals))
    return list(AssertionComparison(comparison, pairs, current, new_literals).compare())


def find_changed_files(comparison: Comparison) -> tuple[str, ...]:
    """Return the changed files that hold tests or may hold some."""
    return tuple(
        path
        for path in sorted(comparison.changes.list_paths())
        if classify_file(path) == "test" or inventory.may_hold_tests(path)
    )


def _select_paths(comparison: Comparison) -> list[str]:
    """Return changed test files, and tests that call changed helpers.

    Also files that a changed Rust file no longer includes: without `mod tests;` their tests are
    gone, although `tests.rs` did not change.
    """
    selected = set(find_changed_files(comparison))
    undeclared = {
        f"{name}.rs" for path in selected for name in _find_undeclared_modules(comparison, path)
    }
    changed_helpers = {
        path: _find_changed_helpers(comparison, path)
        for path in selected
        if inventory.may_hold_helpers(path)
    }
    for path in {*comparison.old, *comparison.new} if selected else ():
        name = path.rpartition("/")[2]
        if name in undeclared or _uses_changed_helper(comparison, path, changed_helpers):
            selected.add(path)
    return sorted(selected)


def _uses_changed_helper(
    comparison: Comparison, path: str, helpers: dict[str, frozenset[str]]
) -> bool:
    """Whether a test file contains the name of a changed helper that it can call.

    `helpers` are the names of changed functions by helper file.
    """
    if not helpers or not inventory.may_hold_tests(path):
        return False
    words = {*re.findall(r"\w+", comparison.new.text(path)), _ANY_NAME}
    return any(
        inventory.can_call_helper(helper, path) and words & names
        for helper, names in helpers.items()
    )


def _find_changed_helpers(comparison: Comparison, path: str) -> frozenset[str]:
    """Return the changed functions of a helper file; an autouse fixture matches any name."""
    before, after = (inventory.list_helper_sources(tree, path) for tree in comparison.trees)
    names = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    if any("autouse" in f"{before.get(name)}{after.get(name)}" for name in names):
        names.add(_ANY_NAME)
    return frozenset(names)


def _find_undeclared_modules(comparison: Comparison, path: str) -> set[str]:
    """Return the Rust modules that the file no longer declares, or with other attributes."""
    if not path.endswith(".rs"):
        return set()
    before, after = (set(_MODULE_DECLARATION.findall(tree.text(path))) for tree in comparison.trees)
    return {name for _, name in before - after}
