"""Claims of the tests of now, from which each may be taken once."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from untildone.integrity.tests.model import Claim

# The id of a test and the number of its claim.
Place: TypeAlias = tuple[str, int]


class Supply:
    """Kept by test and by literals: a suite has thousands of claims and each is looked for."""

    def __init__(self, claims: Mapping[str, Sequence[Claim]]) -> None:
        self._held = {test: dict(enumerate(own)) for test, own in claims.items()}
        self._by_literals: dict[tuple[str, ...], dict[str, dict[int, None]]] = {}
        for test, number in self.places():
            said = self._by_literals.setdefault(_said(self._held[test][number]), {})
            said.setdefault(test, {})[number] = None

    def at(self, place: Place) -> Claim:
        return self._held[place[0]][place[1]]

    def of(self, test: str) -> list[Claim]:
        return list(self._held.get(test, {}).values())

    def places(self, first: str = "") -> Iterator[Place]:
        """All that are left, those of one test before the others."""
        for test in sorted(self._held, key=lambda each: each != first):
            yield from ((test, number) for number in self._held[test])

    def saying(self, claim: Claim, own: str, *, elsewhere: bool) -> Iterator[Place]:
        """Where the same literals stand, in one test or with `elsewhere` in the others too."""
        found = self._by_literals.get(_said(claim), {})
        yield from ((own, number) for number in found.get(own, ()))
        for test in found if elsewhere else ():
            yield from ((test, number) for number in found[test] if test != own)

    def take(self, place: Place | None) -> bool:
        if place is None:
            return False
        test, number = place
        del self._by_literals[_said(self.at(place))][test][number]
        del self._held[test][number]
        return True


def _said(claim: Claim) -> tuple[str, ...]:
    return claim.actual + claim.expected
