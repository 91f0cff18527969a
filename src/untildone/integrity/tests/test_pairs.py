"""Pairs baseline tests with the current tests that replace them.

A test keeps its pair under the same name, or in another file, or under another name if it calls the
same functions with the same values, or if a test with a similar name was added in its file. A test
without a pair was removed.
"""

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.tests.model import Assertion, Test
from untildone.syntax.languages import language_of_tests
from untildone.words import words

# Folders where a moved test is put aside.
_IGNORED_FOLDERS = words("""
    archive archived attic backup backups disabled old legacy skipped quarantine pending wip todo
    broken deprecated build dist vendor
""")
# File names that the runners of these languages collect. Django runs `tests.py`, and pytest is
# often configured to run `shop_tests.py`.
_COLLECTED_NAMES = {
    "python": compile_late(r"test_[^/]*\.py|[^/]*_test\.py|[^/]*tests\.py"),
    "go": compile_late(r"[^/]*_test\.go"),
    "java": compile_late(r"Test[^/]*\.java|[^/]*(Test|Tests|TestCase|IT|Spec)\.java"),
}
# Marks without a condition, which have backticks around them: "`@pytest.mark.skip`", "`.skip`",
# "`xit`", "`{ skip: … }`", "`#[ignore]`", "`@Disabled`".
_DISABLING_MARK = compile_late(
    r"`(@[\w.]*\bskip(\(.*\))?`|\.(skip|todo)`|x\w+`|\{ (skip|todo):|#\[ignore|@Disabled`|@Ignore`"
    r"|pytestmark = pytest\.mark\.skip`)"
)
# How much of their names two tests must have in common; words that every name has do not count.
_LEAST_SIMILARITY = 0.5
# "rejects", "Large" and "XML" of `rejectsLargeXML`.
_WORD = compile_late(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+")
# Added tests of a file among which a similar name is looked for.
_MAX_ADDED_TESTS = 200
_EMPTY_WORDS = frozenset(("test", "tests", "should", "it"))
# Assertions by their actual literals, each with the position of its test in the list of tests.
_Index: TypeAlias = dict[tuple[str, ...], list[tuple[int, Assertion]]]


class TestPair(Struct, frozen=True):
    """A baseline test and the current test that replaces it; None if it was removed."""

    old: Test
    new: Test | None


def is_disabled(test: Test) -> bool:
    """Whether a test is always skipped, so that nothing is lost if it is removed or edited."""
    return any(_DISABLING_MARK.match(mark) for mark in test.marks)


def mark_uncollected(comparison: Comparison, test: Test) -> Test:
    """Return the test, with a mark if it is in a new file that the runner does not collect."""
    if test.path in comparison.old:
        return test
    *folders, name = test.path.split("/")
    pattern = _COLLECTED_NAMES.get(language_of_tests(test.path))
    reason = ""
    if pattern is not None and not pattern.fullmatch(name):
        reason = f"a file called `{name}`, which the runner does not collect"
    elif any(map(_is_ignored, folders)):
        reason = f"the folder `{'/'.join(folders)}`, where the runner does not look"
    return replace(test, marks=test.marks | {reason}) if reason else test


def _is_ignored(folder: str) -> bool:
    """Whether runners do not look into folders of this name: `.old`, `_attic`, `disabled`."""
    is_hidden = folder.startswith((".", "_")) and folder != "__tests__"
    return is_hidden or folder in _IGNORED_FOLDERS


def pair_tests(old: list[Test], new: list[Test]) -> list[TestPair]:
    """Pair tests by id, or else by name, by what they assert, or by a similar name in their file.

    By its name a test is found in another file or class, if only one added test is called so.
    Several baseline tests may get the same current one, as where they were merged, but only one by
    a similar name.
    """
    by_id = {test.id: test for test in new}
    baseline_ids = {test.id for test in old}
    added = [test for test in new if test.id not in baseline_ids]
    name_counts = Counter(test.short_name for test in added)
    by_unique_name = {test.short_name: test for test in added if name_counts[test.short_name] == 1}
    index = _index_added_assertions(old, new)
    pairs = []
    for test in old:
        same = by_id.get(test.id) or by_unique_name.get(test.short_name)
        if same is None and (positions := list(_find_successors(test, index))):
            # Its assertions may have gone to several tests; any of them will do.
            same = new[min(positions)]
        pairs.append(TestPair(test, same))
    return _pair_by_similar_name(pairs, added)


def _pair_by_similar_name(pairs: list[TestPair], added: list[Test]) -> list[TestPair]:
    """Return the pairs, with a current test for those removed ones that only got another name.

    `test_rejects_large_files` may have become `test_refuses_large_files`. Whether it is as strict
    is for the comparison of their assertions, and for a run of the baseline's test, to say.
    """
    taken = {pair.new.id for pair in pairs if pair.new is not None}
    free: dict[str, list[Test]] = {}
    for test in added:
        if test.id not in taken and test.assertions:
            free.setdefault(test.path, []).append(test)
    found = []
    for pair in pairs:
        candidates = free.get(pair.old.path, [])[:_MAX_ADDED_TESTS]
        new = pair.new or _find_similar(pair.old, candidates)
        if pair.new is None and new is not None:
            free[pair.old.path].remove(new)
        found.append(TestPair(pair.old, new))
    return found


def _find_similar(old: Test, added: list[Test]) -> Test | None:
    """Return the added test whose name has most words in common, at least half of them."""
    similar = max(added, key=lambda test: _measure_similarity(old, test), default=None)
    if similar is None or _measure_similarity(old, similar) < _LEAST_SIMILARITY:
        return None
    return similar


def _measure_similarity(old: Test, new: Test) -> float:
    """Return which part of the words of both names is in both: 0.5 for `a b c` and `a b d`."""
    before, after = (
        frozenset(map(str.lower, _WORD.findall(test.short_name))) for test in (old, new)
    )
    return len((before & after) - _EMPTY_WORDS) / len((before | after) - _EMPTY_WORDS or {""})


def _index_added_assertions(old: list[Test], new: list[Test]) -> _Index:
    """Return the assertions of current tests that the baseline test of the same id did not have."""
    baseline = {test.id: test.assertions for test in old}
    index: _Index = {}
    for position, test in enumerate(new):
        known = frozenset(baseline.get(test.id, ()))
        for assertion in test.assertions:
            if assertion not in known:
                index.setdefault(assertion.actual, []).append((position, assertion))
    return index


def _find_successors(removed: Test, index: _Index) -> Iterator[int]:
    """Yield for each assertion the first test that now calls the same functions with its values.

    One common call is enough, as a wrapper may be new: `round(price(10)) == 9`. Without literals,
    as in `load() == 9`, that says too little, so all calls have to be the same.
    """
    for old in removed.assertions:
        for position, new in index.get(old.actual, ()):
            if old.calls == new.calls or (old.actual and old.calls & new.calls):
                yield position
                break
