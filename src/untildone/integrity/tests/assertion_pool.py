"""The current assertions, each of which replaces at most one baseline assertion."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from untildone.integrity.tests.model import Assertion

# The id of a test and the number of the assertion in it.
AssertionKey: TypeAlias = tuple[str, int]


class AssertionPool:
    """Indexed by test and by literals, since a suite has thousands of assertions."""

    def __init__(self, assertions: Mapping[str, Sequence[Assertion]]) -> None:
        self._assertions = {test: dict(enumerate(own)) for test, own in assertions.items()}
        self._by_literals: dict[tuple[str, ...], dict[str, dict[int, None]]] = {}
        for test, number in self.list_keys():
            by_test = self._by_literals.setdefault(
                _join_literals(self._assertions[test][number]), {}
            )
            by_test.setdefault(test, {})[number] = None

    def get(self, key: AssertionKey) -> Assertion:
        return self._assertions[key[0]][key[1]]

    def list_of_test(self, test: str) -> list[Assertion]:
        return list(self._assertions.get(test, {}).values())

    def list_keys(self, first: str = "") -> Iterator[AssertionKey]:
        """Yield the keys not taken yet, those of the test `first` before the others."""
        for test in sorted(self._assertions, key=lambda each: each != first):
            yield from ((test, number) for number in self._assertions[test])

    def find_same_literals(
        self, assertion: Assertion, own: str, *, elsewhere: bool
    ) -> Iterator[AssertionKey]:
        """Yield keys of assertions with the same literals in `own`, or also in other tests."""
        found = self._by_literals.get(_join_literals(assertion), {})
        yield from ((own, number) for number in found.get(own, ()))
        for test in found if elsewhere else ():
            yield from ((test, number) for number in found[test] if test != own)

    def take(self, key: AssertionKey | None) -> bool:
        if key is None:
            return False
        test, number = key
        del self._by_literals[_join_literals(self.get(key))][test][number]
        del self._assertions[test][number]
        return True


def _join_literals(assertion: Assertion) -> tuple[str, ...]:
    return assertion.actual + assertion.expected
