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
from untildone.integrity.tests.claims import BROAD
from untildone.integrity.tests.delegates import delegates
from untildone.integrity.tests.inventory import (
    collected,
    helpers_of,
    inventory,
    reaches,
    read,
    serves,
)
from untildone.integrity.tests.model import EXACT, Claim, Inventory, Test
from untildone.integrity.tests.subjects import product_names
from untildone.integrity.tests.supply import Supply
from untildone.syntax.languages import language_of_tests
from untildone.worktree.roles import classify_file

_PLACES = frozenset(
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
_COLLECTED = {
    "python": re.compile(r"test_[^/]*\.py|[^/]*_test\.py"),
    "go": re.compile(r"[^/]*_test\.go"),
    "java": re.compile(r"Test[^/]*\.java|[^/]*(Test|Tests|TestCase|IT|Spec)\.java"),
}


# #[cfg(test)] mod tests;
_MODULE = re.compile(r"((?:#\[[^\n]*\]\s*)*)\bmod\s+(\w+)\s*;")


_EVERYWHERE = "*"
_WITHOUT_EFFECT = re.compile(
    r"`(@[\w.]*\bskip(\(.*\))?`|\.(skip|todo)`|x\w+`|\{ (skip|todo):|#\[ignore|@Disabled`|@Ignore`"
    r"|pytestmark = pytest\.mark\.skip`)"
)


class _Pair(Struct, frozen=True):
    old: Test
    new: Test | None


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    paths = _concerned(comparison)
    old, new = _inventories(comparison, paths)
    yield from (lost for _, lost in _judged(comparison, old, new) if lost is not None)
    for path in sorted(old.unread | new.unread):
        if path in comparison.old and (path in _changed(comparison) or collected(path)):
            yield _unread(comparison, path)


def _unread(comparison: Comparison, path: str) -> Concern:
    why = "it is too long, nested too deep or takes too many steps to read"
    return make_concern(
        ConcernKind.EDIT_TEST,
        path,
        reason=f"the tests of `{path}` cannot be compared with the baseline: {why}",
        content=comparison.new.entries[path].digest if path in comparison.new else "",
    )


def folds(comparison: Comparison) -> tuple[MergedTest, ...]:
    """Tests of the start of which nothing is lost, and where what they claim is claimed now."""
    pairs = _judged(comparison, *_inventories(comparison, _concerned(comparison)))
    before = {pair.old.id for pair, _ in pairs}
    return tuple(
        MergedTest(pair.old.id, pair.new.id, fresh=pair.new.id not in before)
        for pair, lost in pairs
        if lost is None and pair.new is not None and pair.old.claims
    )


def _inventories(comparison: Comparison, paths: list[str]) -> tuple[Inventory, Inventory]:
    if not paths:
        return Inventory(()), Inventory(())
    return inventory(comparison.old, paths), inventory(comparison.new, paths)


def _judged(
    comparison: Comparison, old: Inventory, new: Inventory
) -> list[tuple[_Pair, Concern | None]]:
    placed = [_in_place(comparison, test) for test in new.tests]
    before = [test for test in old.tests if not _off(test)]
    pairs = _paired(before, placed)
    return list(_Comparison(comparison, pairs, placed, _gained(old, new)).judged())


def _changed(comparison: Comparison) -> set[str]:
    changed = {*comparison.changes.added, *comparison.changes.removed, *comparison.changes.edited}
    return changed | {*comparison.changes.moved, *comparison.changes.moved.values()}


def _concerned(comparison: Comparison) -> list[str]:
    """What changed among the tests, the helpers that serve them, and whom changed helpers serve."""
    tests = {path for path in _changed(comparison) if classify_file(path) == "test" or read(path)}
    folders = {path.rpartition("/")[0] for path in tests}
    undeclared = {f"{name}.rs" for path in tests for name in _undeclared(comparison, path)}
    helpers = {path: _altered(comparison, path) for path in tests if serves(path)}
    for path in {*comparison.old, *comparison.new} if tests else ():
        if serves(path) and (not path.endswith(".go") or path.rpartition("/")[0] in folders):
            tests.add(path)
        if path.rpartition("/")[2] in undeclared or _served(comparison, path, helpers):
            tests.add(path)
    return sorted(tests)


def _served(comparison: Comparison, path: str, helpers: dict[str, frozenset[str]]) -> bool:
    """Whether this file of tests names something that changed in a helper."""
    if not helpers or not read(path) or not collected(path):
        return False
    words = frozenset(re.findall(r"\w+", comparison.new.text(path))) | {_EVERYWHERE}
    return any(reaches(helper, path) and words & names for helper, names in helpers.items())


def _altered(comparison: Comparison, helper: str) -> frozenset[str]:
    """Functions of a helper that are not what they were; one given to all stands for all."""
    before, after = (helpers_of(tree, helper) for tree in (comparison.old, comparison.new))
    names = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    everywhere = any("autouse" in f"{before.get(name)}{after.get(name)}" for name in names)
    return frozenset(names | {_EVERYWHERE} if everywhere else names)


def _undeclared(comparison: Comparison, path: str) -> set[str]:
    """Modules of Rust that a file no longer names."""
    if not path.endswith(".rs"):
        return set()
    before, after = (
        set(_MODULE.findall(tree.text(path))) for tree in (comparison.old, comparison.new)
    )
    return {name for _, name in before - after}


def _off(test: Test) -> bool:
    """Already without effect at the start: nothing of it can be lost."""
    return any(_WITHOUT_EFFECT.match(mark) for mark in test.marks)


def _in_place(comparison: Comparison, test: Test) -> Test:
    """With a mark if its file is no longer where, or named how, the runner looks."""
    if test.path in comparison.old:
        return test
    *folders, name = test.path.split("/")
    pattern = _COLLECTED.get(language_of_tests(test.path))
    reason = ""
    if pattern is not None and not pattern.fullmatch(name) and not test.path.endswith("tests.py"):
        reason = f"a file called `{name}`, which the runner does not collect"
    elif any(
        part in _PLACES or (part.startswith((".", "_")) and part != "__tests__") for part in folders
    ):
        reason = f"the folder `{'/'.join(folders)}`, where the runner does not look"
    if not reason:
        return test
    return Test(test.path, test.name, test.claims, test.marks | {reason})


def _paired(old: list[Test], new: list[Test]) -> list[_Pair]:
    """By its whole name, by its last one if only one is left that is called so, by what it asks."""
    by_id = {test.id: test for test in new}
    before = {test.id for test in old}
    left = [test for test in new if test.id not in before]
    names = Counter(test.last for test in left)
    said = {test.id: test.claims for test in old}
    asking = _Asking(new, said)
    pairs = []
    for test in old:
        same = by_id.get(test.id)
        if same is None and names[test.last] == 1:
            same = next(each for each in left if each.last == test.last)
        pairs.append(_Pair(test, same or asking.the_same(test)))
    return pairs


class _Asking:
    """Tests of now by what they ask beyond what the test of their name had said."""

    def __init__(self, new: list[Test], said: dict[str, tuple[Claim, ...]]) -> None:
        self.tests = new
        self.by_input: dict[tuple[str, ...], list[tuple[int, Claim]]] = {}
        for place, test in enumerate(new):
            known = frozenset(said.get(test.id, ()))
            for claim in test.claims:
                if claim not in known:
                    self.by_input.setdefault(claim.actual, []).append((place, claim))

    def the_same(self, old: Test) -> Test | None:
        """The first that asks the same functions with the same values: renamed or taken in."""
        places = (
            next(
                (place for place, new in self.by_input.get(one.actual, ()) if _share(one, new)), -1
            )
            for one in old.claims
        )
        first = min((place for place in places if place >= 0), default=None)
        return None if first is None else self.tests[first]


def _share(one: Claim, other: Claim) -> bool:
    return one.calls == other.calls or bool(one.actual and one.calls & other.calls)


def _gained(old: Inventory, new: Inventory) -> Counter[str]:
    """Literals that went into constants, fixtures and data."""
    gained = Counter(new.loose)
    gained.subtract(Counter(old.loose))
    return gained


class _Comparison:
    """Claims are taken from what is there now, each once, the test's own first."""

    def __init__(
        self, comparison: Comparison, pairs: list[_Pair], new: list[Test], gained: Counter[str]
    ) -> None:
        self.comparison = comparison
        self.pairs = pairs
        self.gained = gained
        self.product: frozenset[str] | None = None
        self.delegates: dict[str, str] | None = None
        marked: dict[str, frozenset[str]] = {}
        for pair in pairs:
            if pair.new is not None:
                marked[pair.new.id] = marked.get(pair.new.id, frozenset()) | pair.old.marks
        self.supply = Supply(
            {test.id: test.claims for test in new if test.marks <= marked.get(test.id, frozenset())}
        )

    def judged(self) -> Iterator[tuple[_Pair, Concern | None]]:
        lost = [self._exact(pair) for pair in self.pairs]
        for pair, claims in zip(self.pairs, lost, strict=True):
            yield pair, self._lost(pair, self._elsewhere(pair.old, claims))

    def _lost(self, pair: _Pair, missing: list[Claim]) -> Concern | None:
        old, new = pair.old, pair.new
        marks = new.marks - old.marks if new is not None else frozenset()
        if not missing and (old.claims or (new is not None and not marks)):
            return None
        if new is None:
            return self._removed(old)
        return self._skipped(old, new, marks) if marks else self._edited(old, new, missing)

    def _exact(self, pair: _Pair) -> list[Claim]:
        """What of the old test its own successor no longer says word for word."""
        own = pair.new.id if pair.new is not None else ""
        return [each for each in pair.old.claims if not self._take_same(each, own)]

    def _elsewhere(self, test: Test, claims: list[Claim]) -> list[Claim]:
        return [
            each
            for each in claims
            if not self._take_same(each, test.id, elsewhere=True)
            and not self._take_stronger(each, test.id)
            and not self._moved(each)
        ]

    def _take_same(self, old: Claim, own: str, *, elsewhere: bool = False) -> bool:
        places = self.supply.saying(old, own, elsewhere=elsewhere)
        fitting = (place for place in places if self._about(old, self.supply.at(place)))
        return self.supply.take(next(fitting, None))

    def _take_stronger(self, old: Claim, own: str) -> bool:
        if not _may_be_said_more_strictly(old):
            return False
        places = self.supply.places(own)
        fitting = (place for place in places if self._stronger(old, self.supply.at(place)))
        return self.supply.take(next(fitting, None))

    def _about(self, old: Claim, new: Claim) -> bool:
        """Asks the same functions at least as closely."""
        close = new.slack <= old.slack and new.strength >= old.strength
        return close and not self._subjects(self._unasked(old.calls, new.calls))

    def _unasked(self, old: frozenset[str], new: frozenset[str]) -> frozenset[str]:
        """A function that only calls another is asked where that one is."""
        left = old - new
        if left and self.delegates is None:
            self.delegates = delegates(self.comparison)
        known = self.delegates or {}
        return frozenset(name for name in left if known.get(name) not in new)

    def _subjects(self, names: frozenset[str]) -> frozenset[str]:
        """Those that the product had and has."""
        if names and self.product is None:
            self.product = product_names(self.comparison.old) & product_names(self.comparison.new)
        return names & self.product if self.product is not None else names

    def _stronger(self, old: Claim, new: Claim) -> bool:
        more = new.strength > old.strength or not old.expected or _RAISED.match(old.expected[0])
        if not more or not self._about(old, new):
            return False
        turned = "not" in new.expected and "not" not in old.expected
        return not turned and not _unsaid(old, new)

    def _moved(self, old: Claim) -> bool:
        """What is missing in a claim now stands in a constant, a fixture or a data file."""
        if not any(self.gained[each] > 0 for each in (*old.actual, *old.expected)):
            return False
        for new in map(self.supply.at, self.supply.places()):
            missing, extra = _literals(old) - _literals(new), _literals(new) - _literals(old)
            held = missing and missing <= self.gained and self._about(old, new)
            if held and all(map(self._reads, extra)):
                self.gained -= missing
                return True
        return False

    def _reads(self, literal: str) -> bool:
        """Says which file is read, or how."""
        folder = f"/{literal[1:]}/"
        return bool(_FILE.search(literal)) or any(
            folder in f"/{path}" for path in self.comparison.new
        )

    def _removed(self, test: Test) -> Concern:
        because = f"`{test.name}` was there at the start and is no longer run"
        return make_concern(ConcernKind.REMOVE_TEST, test.id, reason=because)

    def _skipped(self, old: Test, new: Test, marks: frozenset[str]) -> Concern:
        because = f"`{old.name}` ran at the start, now there is {', '.join(sorted(marks))}"
        return make_concern(
            ConcernKind.EDIT_TEST, old.path, old.name, reason=because, content=_content(new)
        )

    def _edited(self, old: Test, new: Test, missing: list[Claim]) -> Concern:
        left = self.supply.of(new.id)
        first = missing[0]
        other = next((each for each in left if self._about(first, each)), None)
        if other is not None:
            because = f"`{old.name}` expected {_told(first)} at the start, now {_told(other)}"
            kind = ConcernKind.EDIT_EXPECTED
        else:
            kind = ConcernKind.EDIT_TEST
            because = (
                f"`{old.name}` checked {_told(first)} at the start, now nothing as strict does"
            )
        return make_concern(kind, old.path, old.name, reason=because, content=_content(new))


# An error goes by its name, other literals begin with a quote or a digit.
_RAISED = re.compile(r"[A-Z]")
_FILE = re.compile(r"\.(json|ya?ml|csv|tsv|txt|toml|jsonl|xml)$|^\"(utf-?8|encoding|r[bt]?)$")


def _may_be_said_more_strictly(claim: Claim) -> bool:
    return claim.strength < EXACT or not claim.expected or bool(_RAISED.match(claim.expected[0]))


def _content(test: Test) -> str:
    """What it claims now: an edit of another test in its file changes nothing about it."""
    claims = [(*each[:3], sorted(each[3]), each[4]) for each in map(astuple, test.claims)]
    return digest(claims, sorted(test.marks))


def _literals(claim: Claim) -> Counter[str]:
    return Counter(claim.actual + claim.expected)


def _unsaid(old: Claim, new: Claim) -> Counter[str]:
    """What the new one leaves out; any error at all is named by one of its kinds too."""
    missing = _literals(old) - _literals(new)
    if new.expected and _RAISED.match(new.expected[0]):
        return Counter(each for each in missing.elements() if each not in BROAD)
    return missing


def _told(claim: Claim) -> str:
    given, wanted = _shown(claim.actual), _shown(claim.expected)
    if not wanted:
        return f"`{given}`" if given else "a result"
    return f"`{wanted}` for `{given}`" if given else f"`{wanted}`"


def _shown(literals: tuple[str, ...]) -> str:
    """A few of them, each short and on one line."""
    plain = (each.removeprefix('"').removesuffix(".0") for each in literals[:4])
    return ", ".join(" ".join(each.split())[:40].replace("`", "'") for each in plain)
