"""Finds the assertions of baseline tests that no current test makes as strictly.

`assert f(1) == 2` may move to another test or become stricter; where only `assert f(1) > 0` is
left, the test was weakened. Each current assertion replaces at most one of the baseline: "to take"
one means to remove it from the pool of those that replace none yet. "Literals" are those of both
sides of an assertion, here 1 and 2.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from untildone.core.concerns import make_concern
from untildone.core.differing_part import find_differing_part
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison, hash_values
from untildone.integrity.tests.assertion_calls import BROAD_ERRORS
from untildone.integrity.tests.forwarding_functions import find_forwarding_functions
from untildone.integrity.tests.grown_functions import find_grown_functions
from untildone.integrity.tests.model import EXACT, Assertion, Test
from untildone.integrity.tests.test_pairs import TestPair
from untildone.integrity.tests.tested_names import find_product_names

# An error is written as its name; every other literal begins with a quote or a digit.
_ERROR_NAME = compile_late(r"[A-Z]")
# "cases.json", "utf-8", "rb": the arguments of `open("cases.json", "rb")`.
_FILE_ARGUMENT = compile_late(
    r"\.(json|ya?ml|csv|tsv|txt|toml|jsonl|xml)$|^\"(utf-?8|encoding|r[bt]?)$"
)

# The id of a test and the number of the assertion in it.
_Key: TypeAlias = tuple[str, int]


class _AssertionPool:
    """The current assertions that replace none of the baseline yet, by test and by literals."""

    def __init__(self, assertions: Mapping[str, Sequence[Assertion]]) -> None:
        self._assertions = {test: dict(enumerate(items)) for test, items in assertions.items()}
        # By literals and test: the numbers of its assertions with these literals, in their order.
        self._by_literals: dict[tuple[str, ...], dict[str, dict[int, None]]] = {}
        for test, number in self.list_keys():
            literals = self._assertions[test][number].literals
            self._by_literals.setdefault(literals, {}).setdefault(test, {})[number] = None

    def get(self, key: _Key) -> Assertion:
        test, number = key
        return self._assertions[test][number]

    def list_of_test(self, test: str) -> list[Assertion]:
        """Return the assertions of the test that are not taken."""
        return list(self._assertions.get(test, {}).values())

    def list_keys(self, preferred: str = "") -> Iterator[_Key]:
        """Yield the keys not taken yet, those of the preferred test before the others."""
        for test in sorted(self._assertions, key=lambda test: test != preferred):
            yield from ((test, number) for number in self._assertions[test])

    def list_same_literals(
        self, assertion: Assertion, test: str, *, elsewhere: bool
    ) -> Iterator[_Key]:
        """Yield keys of assertions with the same literals in the test, then in all others."""
        found = self._by_literals.get(assertion.literals, {})
        yield from ((test, number) for number in found.get(test, ()))
        for other in found if elsewhere else ():
            yield from ((other, number) for number in found[other] if other != test)

    def take(self, key: _Key | None) -> bool:
        """Take the assertion; return False if there is no key."""
        if key is None:
            return False
        test, number = key
        del self._by_literals[self.get(key).literals][test][number]
        del self._assertions[test][number]
        return True


class AssertionComparison:
    """Finds for each baseline test what it lost.

    `new` are all current tests; `new_literals` counts the literals that constants, fixtures and
    data files gained.
    """

    def __init__(
        self,
        comparison: Comparison,
        pairs: list[TestPair],
        new: list[Test],
        new_literals: Counter[str],
    ) -> None:
        self._comparison = comparison
        self._pairs = pairs
        self._new_literals = new_literals
        known_marks: dict[str, set[str]] = {test.id: set() for test in new}
        for pair in pairs:
            if pair.new is not None:
                known_marks[pair.new.id] |= pair.old.marks
        # A test with a new mark may not run, so its assertions do not count.
        running = (test for test in new if test.marks <= known_marks[test.id])
        self._pool = _AssertionPool({test.id: test.assertions for test in running})

    def compare(self) -> Iterator[tuple[TestPair, Concern | None]]:
        """Yield each pair with the concern about it; None if nothing was lost."""
        # Every test takes its own assertions before any test takes those of another.
        missing = [self._take_repeated(pair) for pair in self._pairs]
        for pair, assertions in zip(self._pairs, missing, strict=True):
            left = self._take_elsewhere(pair.old.id, assertions)
            yield pair, self._find_concern(pair, self._take_grown(pair, left))

    def _find_concern(self, pair: TestPair, missing: list[Assertion]) -> Concern | None:
        """Return the concern about a test without the assertions `missing`, or with new marks."""
        old, new = pair.old, pair.new
        marks = new.marks - old.marks if new is not None else frozenset()
        # A test without assertions only checks that the code runs, so it must still run itself.
        if not missing and (old.assertions or (new is not None and not marks)):
            return None
        if new is None:
            reason = f"`{old.name}` ran in the baseline and no longer runs"
            return make_concern(ConcernKind.REMOVE_TEST, old.id, reason=reason)
        if marks:
            reason = f"`{old.name}` ran in the baseline, now there is {', '.join(sorted(marks))}"
            return _make_edit_concern(ConcernKind.EDIT_TEST, old, new, reason)
        return self._describe_edit(old, new, missing[0])

    def _describe_edit(self, old: Test, new: Test, missing: Assertion) -> Concern:
        """Return a concern that names the assertion that took the place of the missing one."""
        unused = self._pool.list_of_test(new.id)
        current = next((one for one in unused if self._is_as_strict(missing, one)), None)
        if current is not None:
            kind = ConcernKind.EDIT_EXPECTED
            was, now = _describe_both(missing, current)
            change = f"expected {was} in the baseline, now {now}"
        else:
            kind = ConcernKind.EDIT_TEST
            change = f"checked {_describe(missing)} in the baseline, now nothing as strict does"
        renamed = f"became `{new.name}`, " if new.name != old.name else ""
        return _make_edit_concern(kind, old, new, f"`{old.name}` {renamed}{change}")

    def _take_repeated(self, pair: TestPair) -> list[Assertion]:
        """Take what the current test of the pair repeats; return the other baseline assertions."""
        test = pair.new.id if pair.new is not None else ""
        return [old for old in pair.old.assertions if not self._take_same(old, test)]

    def _take_elsewhere(self, test: str, assertions: list[Assertion]) -> list[Assertion]:
        """Take what any current test makes as strictly; return the assertions that none makes.

        `test` is the id of the test in which to look first.
        """
        return [
            old
            for old in assertions
            if not self._take_same(old, test, elsewhere=True)
            and not self._take_stronger(old, test)
            and not self._take_moved(old)
        ]

    def _take_same(self, old: Assertion, test: str, *, elsewhere: bool = False) -> bool:
        """Take an assertion with the same literals that is as strict; return whether there is one.

        `test` is the id of the test to look in, `elsewhere` says whether others count as well.
        """
        keys = self._pool.list_same_literals(old, test, elsewhere=elsewhere)
        fitting = (key for key in keys if self._is_as_strict(old, self._pool.get(key)))
        return self._pool.take(next(fitting, None))

    def _take_stronger(self, old: Assertion, test: str) -> bool:
        """Take an assertion that is stricter: `f(1) == 2` for `f(1) >= 2`; False if none is."""
        # Nothing is stricter than an exact value; an error can get a message in addition.
        if old.strength == EXACT and old.expected and not _expects_error(old):
            return False
        keys = self._pool.list_keys(test)
        fitting = (key for key in keys if self._is_stronger(old, self._pool.get(key)))
        return self._pool.take(next(fitting, None))

    def _is_as_strict(self, old: Assertion, new: Assertion) -> bool:
        """Whether the new assertion tests the same product functions at least as closely."""
        is_as_close = new.tolerance <= old.tolerance and new.strength >= old.strength
        return is_as_close and not self._list_untested_calls(old.calls, new.calls)

    def _list_untested_calls(self, old: frozenset[str], new: frozenset[str]) -> frozenset[str]:
        """Return product functions of `old` that `new` calls neither directly nor forwarded."""
        removed = old - new
        if not removed:
            return removed
        forwarded = self._comparison.fact(find_forwarding_functions)
        untested = frozenset(name for name in removed if forwarded.get(name) not in new)
        for tree in (self._comparison.old, self._comparison.new) if untested else ():
            untested &= find_product_names(tree)
        return untested

    def _is_stronger(self, old: Assertion, new: Assertion) -> bool:
        """Whether the new assertion has all literals of the old one and may assert more."""
        may_say_more = new.strength > old.strength or not old.expected or _expects_error(old)
        if not may_say_more or not self._is_as_strict(old, new):
            return False
        negated = "not" in new.expected and "not" not in old.expected
        return not negated and not _count_missing_literals(old, new)

    def _take_moved(self, old: Assertion) -> bool:
        """Find an assertion whose literals moved to a constant, fixture or data file; take these.

        `f(1) == 2` may become `f(case.total) == case.want` with the case in `cases.json`.
        """
        if not any(self._new_literals[literal] > 0 for literal in old.literals):
            return False
        for new in map(self._pool.get, self._pool.list_keys()):
            missing = Counter(old.literals) - Counter(new.literals)
            extra = Counter(new.literals) - Counter(old.literals)
            moved = missing and missing <= self._new_literals and self._is_as_strict(old, new)
            if moved and all(map(self._names_file, extra)):
                self._new_literals -= missing
                return True
        return False

    def _take_grown(self, pair: TestPair, assertions: list[Assertion]) -> list[Assertion]:
        """Take assertions whose calls only got the arguments that they need now; return the rest.

        These have to be the same in every assertion of the test: they could be the answers.
        """
        grown = self._comparison.fact(find_grown_functions)
        calling = [old for old in assertions if old.calls & grown]
        if pair.new is None or not calling:
            return assertions
        added: set[tuple[str, ...]] = set()
        taken = []
        for old in calling:
            keys = self._pool.list_keys(pair.new.id)
            key = next(
                (key for key in keys if self._adds_arguments(old, self._pool.get(key))), None
            )
            if key is not None:
                added.add(_list_added(old, self._pool.get(key)))
                taken.append(old)
                self._pool.take(key)
        values = {value for each in added for value in each}
        if len(added) != 1 or all(values <= {*old.expected} for old in taken):
            return assertions
        return [old for old in assertions if old not in taken]

    def _adds_arguments(self, old: Assertion, new: Assertion) -> bool:
        """Whether the assertions differ only by more literals in the call."""
        has_all = not Counter(old.actual) - Counter(new.actual)
        return has_all and old.expected == new.expected and self._is_as_strict(old, new)

    def _names_file(self, literal: str) -> bool:
        """Whether a literal says which file or folder a test reads, or how."""
        # The literal `"data` is the folder of `tests/data/cases.json`.
        folder = f"/{literal[1:]}/"
        in_path = any(folder in f"/{path}" for path in self._comparison.new)
        return in_path or bool(_FILE_ARGUMENT.search(literal))


def _make_edit_concern(kind: ConcernKind, old: Test, new: Test, reason: str) -> Concern:
    """Return a concern with a digest of the test, so that an approval holds for this edit only."""
    # The content is of this test alone: an edit of another test in the file does not change it.
    # Calls are sorted, since the order of a set differs from run to run.
    assertions = [
        (item.strength, item.actual, item.expected, sorted(item.calls), item.tolerance)
        for item in new.assertions
    ]
    content = hash_values(assertions, sorted(new.marks))
    return make_concern(kind, old.path, old.name, reason=reason, content=content)


def _list_added(old: Assertion, new: Assertion) -> tuple[str, ...]:
    return tuple(sorted((Counter(new.actual) - Counter(old.actual)).elements()))


def _expects_error(assertion: Assertion) -> bool:
    """Whether the assertion is one of a raised error, such as `raises(ValueError)`."""
    return bool(assertion.expected) and bool(_ERROR_NAME.match(assertion.expected[0]))


def _count_missing_literals(old: Assertion, new: Assertion) -> Counter[str]:
    """Count literals that `new` leaves out; a specific error stands for a broad one too."""
    missing = Counter(old.literals) - Counter(new.literals)
    if _expects_error(new):
        return Counter(literal for literal in missing.elements() if literal not in BROAD_ERRORS)
    return missing


def _describe_both(old: Assertion, new: Assertion) -> tuple[str, str]:
    """Return both assertions in a few words, which are never the same."""
    was, now = _describe(old), _describe(new)
    if was != now:
        return was, now
    # They differ behind what is shown, or only by what they call.
    texts = (", ".join(map(_format_literal, each.literals)) for each in (old, new))
    part, current = find_differing_part(*texts)
    if part == current:
        part, current = (", ".join(sorted(each.calls)) for each in (old, new))
    return (f"`{part}`", f"`{current}`") if part != current else (was, "something else")


def _describe(assertion: Assertion) -> str:
    """Return "`2` for `1`" for `f(1) == 2`."""
    actual, expected = _format_literals(assertion.actual), _format_literals(assertion.expected)
    if not expected:
        return f"`{actual}`" if actual else "a result"
    return f"`{expected}` for `{actual}`" if actual else f"`{expected}`"


def _format_literals(literals: tuple[str, ...]) -> str:
    """Format the first few, each short and on one line."""
    return ", ".join(_format_literal(literal)[:40] for literal in literals[:4])


def _format_literal(literal: str) -> str:
    return " ".join(literal.removeprefix('"').removesuffix(".0").split()).replace("`", "'")
