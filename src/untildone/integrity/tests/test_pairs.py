"""Pairs baseline tests with the current tests that replace them.

A test keeps its pair under the same name, or in another file, or under another name if it calls the
same functions with the same values. A test without a pair was removed.
"""

import re
from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from untildone.integrity.comparison import Comparison
from untildone.integrity.tests.model import Assertion, Test
from untildone.syntax.languages import language_of_tests
from untildone.words import words

# Folders where a moved test is put aside.
_IGNORED_FOLDERS = words("""
    archive archived attic backup backups disabled old legacy skipped quarantine pending wip todo
    broken deprecated build dist vendor
""")
# File names that the runners of these languages collect.
_COLLECTED_NAMES = {
    "python": re.compile(r"test_[^/]*\.py|[^/]*_test\.py"),
    "go": re.compile(r"[^/]*_test\.go"),
    "java": re.compile(r"Test[^/]*\.java|[^/]*(Test|Tests|TestCase|IT|Spec)\.java"),
}
# Marks without a condition: `@pytest.mark.skip`, `it.skip`, `xit`, `#[ignore]`, `@Disabled`.
_DISABLING_MARK = re.compile(
    r"`(@[\w.]*\bskip(\(.*\))?`|\.(skip|todo)`|x\w+`|\{ (skip|todo):|#\[ignore|@Disabled`|@Ignore`"
    r"|pytestmark = pytest\.mark\.skip`)"
)


class TestPair(Struct, frozen=True):
    """A baseline test and the current test that replaces it; None if it was removed."""

    old: Test
    new: Test | None


def is_disabled(test: Test) -> bool:
    """Whether a test is skipped without a condition; in the baseline it has nothing to lose."""
    return any(_DISABLING_MARK.match(mark) for mark in test.marks)


def mark_uncollected(comparison: Comparison, test: Test) -> Test:
    """Return the test, marked if the runner does not collect the new file that it is in."""
    if test.path in comparison.old:
        return test
    *folders, name = test.path.split("/")
    pattern = _COLLECTED_NAMES.get(language_of_tests(test.path))
    reason = ""
    if pattern is not None and not pattern.fullmatch(name) and not test.path.endswith("tests.py"):
        reason = f"a file called `{name}`, which the runner does not collect"
    elif any(map(_is_ignored, folders)):
        reason = f"the folder `{'/'.join(folders)}`, where the runner does not look"
    return replace(test, marks=test.marks | {reason}) if reason else test


def _is_ignored(folder: str) -> bool:
    """Whether runners do not look into folders of this name: `.old`, `_attic`, `disabled`."""
    is_hidden = folder.startswith((".", "_")) and folder != "__tests__"
    return is_hidden or folder in _IGNORED_FOLDERS


def pair_tests(old: list[Test], new: list[Test]) -> list[TestPair]:
    """Pair tests by id, then by name, then by what they assert.

    The name counts if just one current test has it that was not in the baseline.
    """
    by_id = {test.id: test for test in new}
    baseline_ids = {test.id for test in old}
    added = [test for test in new if test.id not in baseline_ids]
    name_counts = Counter(test.short_name for test in added)
    by_unique_name = {test.short_name: test for test in added if name_counts[test.short_name] == 1}
    index = _SuccessorIndex(new, {test.id: test.assertions for test in old})
    pairs = []
    for test in old:
        same = by_id.get(test.id) or by_unique_name.get(test.short_name)
        pairs.append(TestPair(test, same or index.find_successor(test)))
    return pairs


class _SuccessorIndex:
    """Finds the current test that took over the assertions of a removed one.

    Only assertions count that the current test did not have in the baseline. They are indexed by
    their actual literals, with the position of the test.
    """

    def __init__(self, new: list[Test], baseline: dict[str, tuple[Assertion, ...]]) -> None:
        self._tests = new
        self._by_input: dict[tuple[str, ...], list[tuple[int, Assertion]]] = {}
        for position, test in enumerate(new):
            known = frozenset(baseline.get(test.id, ()))
            for assertion in test.assertions:
                if assertion not in known:
                    self._by_input.setdefault(assertion.actual, []).append((position, assertion))

    def find_successor(self, old: Test) -> Test | None:
        """Return the first test that calls the same functions with the same values."""
        positions = (self._find_position(assertion) for assertion in old.assertions)
        found = [position for position in positions if position is not None]
        return self._tests[min(found)] if found else None

    def _find_position(self, old: Assertion) -> int | None:
        """Return the position of the first test with the same inputs and functions."""
        for position, new in self._by_input.get(old.actual, ()):
            if old.calls == new.calls or (old.actual and old.calls & new.calls):
                return position
        return None
