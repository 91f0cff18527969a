"""The start's tests against those of now: removed, skipped, weakened, expecting something else."""

import re
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import astuple

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.missing_tests import MergedTest
from untildone.integrity.comparison import Comparison, digest
from untildone.integrity.tests.assertion_calls import BROAD_ERRORS
from untildone.integrity.tests.assertion_pool import AssertionPool
from untildone.integrity.tests.forwarding_functions import find_forwarding_functions
from untildone.integrity.tests.inventory import (
    can_call_helper,
    is_collected,
    list_helper_sources,
    may_hold_helpers,
    may_hold_tests,
    read_inventory,
)
from untildone.integrity.tests.model import EXACT, Assertion, Inventory, Test
from untildone.integrity.tests.tested_names import find_product_names
from untildone.syntax.languages import language_of_tests
from untildone.worktree.roles import classify_file

_IGNORED_FOLDERS = frozenset(
    (
        *(
            "archive",
            "archived",
            "attic",
            "backup",
            "backups",
            "disabled",
            "old",
            "legacy",
            "skipped",
        ),
        *(
            "quarantine",
            "pending",
            "wip",
            "todo",
            "broken",
            "deprecated",
            "build",
            "dist",
            "vendor",
        ),
    )
)
_COLLECTED_NAMES = {
    "python": re.compile(r"test_[^/]*\.py|[^/]*_test\.py"),
    "go": re.compile(r"[^/]*_test\.go"),
    "java": re.compile(r"Test[^/]*\.java|[^/]*(Test|Tests|TestCase|IT|Spec)\.java"),
}


# #[cfg(test)] mod tests;
_MODULE_DECLARATION = re.compile(r"((?:#\[[^\n]*\]\s*)*)\bmod\s+(\w+)\s*;")


_ANY_NAME = "*"
_DISABLING_MARK = re.compile(
    r"`(@[\w.]*\bskip(\(.*\))?`|\.(skip|todo)`|x\w+`|\{ (skip|todo):|#\[ignore|@Disabled`|@Ignore`"
    r"|pytestmark = pytest\.mark\.skip`)"
)


class _Pair(Struct, frozen=True):
    old: Test
    new: Test | None


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    paths = _select_paths(comparison)
    old, new = _read_inventories(comparison, paths)
    yield from (lost for _, lost in _compare_tests(comparison, old, new) if lost is not None)
    for path in sorted(old.unread | new.unread):
        if path in comparison.old and (
            path in _list_changed_paths(comparison) or is_collected(path)
        ):
            yield _make_unread_concern(comparison, path)


def _make_unread_concern(comparison: Comparison, path: str) -> Concern:
    why = "it is too long, nested too deep or takes too many steps to read"
    return make_concern(
        ConcernKind.EDIT_TEST,
        path,
        reason=f"the tests of `{path}` cannot be compared with the baseline: {why}",
        content=comparison.new.entries[path].digest if path in comparison.new else "",
    )


def find_merged_tests(comparison: Comparison) -> tuple[MergedTest, ...]:
    """Tests of the start of which nothing is lost, and where what they claim is claimed now."""
    pairs = _compare_tests(comparison, *_read_inventories(comparison, _select_paths(comparison)))
    before = {pair.old.id for pair, _ in pairs}
    return tuple(
        MergedTest(pair.old.id, pair.new.id, fresh=pair.new.id not in before)
        for pair, lost in pairs
        if lost is None and pair.new is not None and pair.old.assertions
    )


def _read_inventories(comparison: Comparison, paths: list[str]) -> tuple[Inventory, Inventory]:
    if not paths:
        return Inventory(()), Inventory(())
    return read_inventory(comparison.old, paths), read_inventory(comparison.new, paths)


def _compare_tests(
    comparison: Comparison, old: Inventory, new: Inventory
) -> list[tuple[_Pair, Concern | None]]:
    placed = [_mark_if_uncollected(comparison, test) for test in new.tests]
    before = [test for test in old.tests if not _is_disabled(test)]
    pairs = _pair_tests(before, placed)
    return list(
        _AssertionComparison(comparison, pairs, placed, _count_new_literals(old, new)).compare()
    )


def _list_changed_paths(comparison: Comparison) -> set[str]:
    changed = {*comparison.changes.added, *comparison.changes.removed, *comparison.changes.edited}
    return changed | {*comparison.changes.moved, *comparison.changes.moved.values()}


def _select_paths(comparison: Comparison) -> list[str]:
    """What changed among the tests, the helpers that serve them, and whom changed helpers serve."""
    tests = {
        path
        for path in _list_changed_paths(comparison)
        if classify_file(path) == "test" or may_hold_tests(path)
    }
    folders = {path.rpartition("/")[0] for path in tests}
    undeclared = {
        f"{name}.rs" for path in tests for name in _find_undeclared_modules(comparison, path)
    }
    helpers = {
        path: _find_changed_helpers(comparison, path) for path in tests if may_hold_helpers(path)
    }
    for path in {*comparison.old, *comparison.new} if tests else ():
        if may_hold_helpers(path) and (
            not path.endswith(".go") or path.rpartition("/")[0] in folders
        ):
            tests.add(path)
        if path.rpartition("/")[2] in undeclared or _uses_changed_helper(comparison, path, helpers):
            tests.add(path)
    return sorted(tests)


def _uses_changed_helper(
    comparison: Comparison, path: str, helpers: dict[str, frozenset[str]]
) -> bool:
    """Whether this file of tests names something that changed in a helper."""
    if not helpers or not may_hold_tests(path) or not is_collected(path):
        return False
    words = frozenset(re.findall(r"\w+", comparison.new.text(path))) | {_ANY_NAME}
    return any(can_call_helper(helper, path) and words & names for helper, names in helpers.items())


def _find_changed_helpers(comparison: Comparison, helper: str) -> frozenset[str]:
    """Functions of a helper that are not what they were; one given to all stands for all."""
    before, after = (list_helper_sources(tree, helper) for tree in (comparison.old, comparison.new))
    names = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    everywhere = any("autouse" in f"{before.get(name)}{after.get(name)}" for name in names)
    return frozenset(names | {_ANY_NAME} if everywhere else names)


def _find_undeclared_modules(comparison: Comparison, path: str) -> set[str]:
    """Modules of Rust that a file no longer names."""
    if not path.endswith(".rs"):
        return set()
    before, after = (
        set(_MODULE_DECLARATION.findall(tree.text(path)))
        for tree in (comparison.old, comparison.new)
    )
    return {name for _, name in before - after}


def _is_disabled(test: Test) -> bool:
    """Already without effect at the start: nothing of it can be lost."""
    return any(_DISABLING_MARK.match(mark) for mark in test.marks)


def _mark_if_uncollected(comparison: Comparison, test: Test) -> Test:
    """With a mark if its file is no longer where, or named how, the runner looks."""
    if test.path in comparison.old:
        return test
    *folders, name = test.path.split("/")
    pattern = _COLLECTED_NAMES.get(language_of_tests(test.path))
    reason = ""
    if pattern is not None and not pattern.fullmatch(name) and not test.path.endswith("tests.py"):
        reason = f"a file called `{name}`, which the runner does not collect"
    elif any(
        part in _IGNORED_FOLDERS or (part.startswith((".", "_")) and part != "__tests__")
        for part in folders
    ):
        reason = f"the folder `{'/'.join(folders)}`, where the runner does not look"
    if not reason:
        return test
    return Test(test.path, test.name, test.assertions, test.marks | {reason})


def _pair_tests(old: list[Test], new: list[Test]) -> list[_Pair]:
    """By its whole name, by its last one if only one is left that is called so, by what it asks."""
    by_id = {test.id: test for test in new}
    before = {test.id for test in old}
    left = [test for test in new if test.id not in before]
    names = Counter(test.short_name for test in left)
    said = {test.id: test.assertions for test in old}
    asking = _SuccessorIndex(new, said)
    pairs = []
    for test in old:
        same = by_id.get(test.id)
        if same is None and names[test.short_name] == 1:
            same = next(each for each in left if each.short_name == test.short_name)
        pairs.append(_Pair(test, same or asking.find_successor(test)))
    return pairs


class _SuccessorIndex:
    """Tests of now by what they ask beyond what the test of their name had said."""

    def __init__(self, new: list[Test], said: dict[str, tuple[Assertion, ...]]) -> None:
        self.tests = new
        self.by_input: dict[tuple[str, ...], list[tuple[int, Assertion]]] = {}
        for place, test in enumerate(new):
            known = frozenset(said.get(test.id, ()))
            for claim in test.assertions:
                if claim not in known:
                    self.by_input.setdefault(claim.actual, []).append((place, claim))

    def find_successor(self, old: Test) -> Test | None:
        """The first that asks the same functions with the same values: renamed or taken in."""
        places = (
            next(
                (
                    place
                    for place, new in self.by_input.get(one.actual, ())
                    if _test_the_same(one, new)
                ),
                -1,
            )
            for one in old.assertions
        )
        first = min((place for place in places if place >= 0), default=None)
        return None if first is None else self.tests[first]


def _test_the_same(one: Assertion, other: Assertion) -> bool:
    return one.calls == other.calls or bool(one.actual and one.calls & other.calls)


def _count_new_literals(old: Inventory, new: Inventory) -> Counter[str]:
    """Literals that went into constants, fixtures and data."""
    gained = Counter(new.outside_literals)
    gained.subtract(Counter(old.outside_literals))
    return gained


class _AssertionComparison:
    """Claims are taken from what is there now, each once, the test's own first."""

    def __init__(
        self, comparison: Comparison, pairs: list[_Pair], new: list[Test], gained: Counter[str]
    ) -> None:
        self.comparison = comparison
        self.pairs = pairs
        self.new_literals = gained
        self.product: frozenset[str] | None = None
        self.forwarding: dict[str, str] | None = None
        marked: dict[str, frozenset[str]] = {}
        for pair in pairs:
            if pair.new is not None:
                marked[pair.new.id] = marked.get(pair.new.id, frozenset()) | pair.old.marks
        self.pool = AssertionPool(
            {
                test.id: test.assertions
                for test in new
                if test.marks <= marked.get(test.id, frozenset())
            }
        )

    def compare(self) -> Iterator[tuple[_Pair, Concern | None]]:
        lost = [self._take_own(pair) for pair in self.pairs]
        for pair, claims in zip(self.pairs, lost, strict=True):
            yield pair, self._find_concern(pair, self._take_elsewhere(pair.old, claims))

    def _find_concern(self, pair: _Pair, missing: list[Assertion]) -> Concern | None:
        old, new = pair.old, pair.new
        marks = new.marks - old.marks if new is not None else frozenset()
        if not missing and (old.assertions or (new is not None and not marks)):
            return None
        if new is None:
            return self._make_removal(old)
        return self._make_skip(old, new, marks) if marks else self._make_edit(old, new, missing)

    def _take_own(self, pair: _Pair) -> list[Assertion]:
        """What of the old test its own successor no longer says word for word."""
        own = pair.new.id if pair.new is not None else ""
        return [each for each in pair.old.assertions if not self._take_same(each, own)]

    def _take_elsewhere(self, test: Test, claims: list[Assertion]) -> list[Assertion]:
        return [
            each
            for each in claims
            if not self._take_same(each, test.id, elsewhere=True)
            and not self._take_stronger(each, test.id)
            and not self._take_moved(each)
        ]

    def _take_same(self, old: Assertion, own: str, *, elsewhere: bool = False) -> bool:
        places = self.pool.find_same_literals(old, own, elsewhere=elsewhere)
        fitting = (place for place in places if self._is_as_strict(old, self.pool.get(place)))
        return self.pool.take(next(fitting, None))

    def _take_stronger(self, old: Assertion, own: str) -> bool:
        if not _may_be_strengthened(old):
            return False
        places = self.pool.list_keys(own)
        fitting = (place for place in places if self._is_stronger(old, self.pool.get(place)))
        return self.pool.take(next(fitting, None))

    def _is_as_strict(self, old: Assertion, new: Assertion) -> bool:
        """Asks the same functions at least as closely."""
        close = new.tolerance <= old.tolerance and new.strength >= old.strength
        return close and not self._select_product_names(
            self._list_untested_calls(old.calls, new.calls)
        )

    def _list_untested_calls(self, old: frozenset[str], new: frozenset[str]) -> frozenset[str]:
        """A function that only calls another is asked where that one is."""
        left = old - new
        if left and self.forwarding is None:
            self.forwarding = find_forwarding_functions(self.comparison)
        known = self.forwarding or {}
        return frozenset(name for name in left if known.get(name) not in new)

    def _select_product_names(self, names: frozenset[str]) -> frozenset[str]:
        """Those that the product had and has."""
        if names and self.product is None:
            self.product = find_product_names(self.comparison.old) & find_product_names(
                self.comparison.new
            )
        return names & self.product if self.product is not None else names

    def _is_stronger(self, old: Assertion, new: Assertion) -> bool:
        more = new.strength > old.strength or not old.expected or _ERROR_NAME.match(old.expected[0])
        if not more or not self._is_as_strict(old, new):
            return False
        turned = "not" in new.expected and "not" not in old.expected
        return not turned and not _count_missing_literals(old, new)

    def _take_moved(self, old: Assertion) -> bool:
        """What is missing in a claim now stands in a constant, a fixture or a data file."""
        if not any(self.new_literals[each] > 0 for each in (*old.actual, *old.expected)):
            return False
        for new in map(self.pool.get, self.pool.list_keys()):
            missing, extra = (
                _count_literals(old) - _count_literals(new),
                _count_literals(new) - _count_literals(old),
            )
            held = missing and missing <= self.new_literals and self._is_as_strict(old, new)
            if held and all(map(self._names_file, extra)):
                self.new_literals -= missing
                return True
        return False

    def _names_file(self, literal: str) -> bool:
        """Says which file is read, or how."""
        folder = f"/{literal[1:]}/"
        return bool(_FILE_ARGUMENT.search(literal)) or any(
            folder in f"/{path}" for path in self.comparison.new
        )

    def _make_removal(self, test: Test) -> Concern:
        because = f"`{test.name}` was there at the start and is no longer run"
        return make_concern(ConcernKind.REMOVE_TEST, test.id, reason=because)

    def _make_skip(self, old: Test, new: Test, marks: frozenset[str]) -> Concern:
        because = f"`{old.name}` ran at the start, now there is {', '.join(sorted(marks))}"
        return make_concern(
            ConcernKind.EDIT_TEST, old.path, old.name, reason=because, content=_digest_test(new)
        )

    def _make_edit(self, old: Test, new: Test, missing: list[Assertion]) -> Concern:
        left = self.pool.list_of_test(new.id)
        first = missing[0]
        other = next((each for each in left if self._is_as_strict(first, each)), None)
        if other is not None:
            because = (
                f"`{old.name}` expected {_describe(first)} at the start, now {_describe(other)}"
            )
            kind = ConcernKind.EDIT_EXPECTED
        else:
            kind = ConcernKind.EDIT_TEST
            because = (
                f"`{old.name}` checked {_describe(first)} at the start, now nothing as strict does"
            )
        return make_concern(kind, old.path, old.name, reason=because, content=_digest_test(new))


# An error goes by its name, other literals begin with a quote or a digit.
_ERROR_NAME = re.compile(r"[A-Z]")
_FILE_ARGUMENT = re.compile(
    r"\.(json|ya?ml|csv|tsv|txt|toml|jsonl|xml)$|^\"(utf-?8|encoding|r[bt]?)$"
)


def _may_be_strengthened(claim: Assertion) -> bool:
    return (
        claim.strength < EXACT or not claim.expected or bool(_ERROR_NAME.match(claim.expected[0]))
    )


def _digest_test(test: Test) -> str:
    """What it claims now: an edit of another test in its file changes nothing about it."""
    claims = [(*each[:3], sorted(each[3]), each[4]) for each in map(astuple, test.assertions)]
    return digest(claims, sorted(test.marks))


def _count_literals(claim: Assertion) -> Counter[str]:
    return Counter(claim.actual + claim.expected)


def _count_missing_literals(old: Assertion, new: Assertion) -> Counter[str]:
    """What the new one leaves out; any error at all is named by one of its kinds too."""
    missing = _count_literals(old) - _count_literals(new)
    if new.expected and _ERROR_NAME.match(new.expected[0]):
        return Counter(each for each in missing.elements() if each not in BROAD_ERRORS)
    return missing


def _describe(claim: Assertion) -> str:
    given, wanted = _format_literals(claim.actual), _format_literals(claim.expected)
    if not wanted:
        return f"`{given}`" if given else "a result"
    return f"`{wanted}` for `{given}`" if given else f"`{wanted}`"


def _format_literals(literals: tuple[str, ...]) -> str:
    """A few of them, each short and on one line."""
    plain = (each.removeprefix('"').removesuffix(".0") for each in literals[:4])
    return ", ".join(" ".join(each.split())[:40].replace("`", "'") for each in plain)
