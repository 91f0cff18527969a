"""Which candidates of a batch may be merged: decided from conflicts and results of checks alone.

Candidates are joined one after another, and the whole is verified once. If it is red, a binary
search over its beginnings finds the first candidate with which it turns red: everything before it
was verified green and is accepted, and the rest is tried again without it.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Struct

from untildone.core.check_results import CheckResult

Results: TypeAlias = tuple[CheckResult, ...]


class Candidate(Struct, frozen=True, kw_only=True):
    """Verified work: `commit` began at the commit `base`."""

    task: str
    title: str
    commit: str
    base: str


class Conflict(Struct, frozen=True, kw_only=True):
    """The tree of a merge that failed: its `files` hold both sides between markers."""

    tree: str
    files: tuple[str, ...]


class Joined(Struct, frozen=True, kw_only=True):
    """A candidate on top of `onto`, as the commit `place`; results are of the whole batch."""

    candidate: Candidate
    onto: str
    place: str
    results: Results = ()


class Collision(Struct, frozen=True, kw_only=True):
    candidate: Candidate
    onto: str
    conflict: Conflict


class Decision(Struct, frozen=True, kw_only=True):
    """`head` is the last place that was verified green, or the tip as it was.

    `culprits` turn it red, `hindered` are red only where the tip itself is, by `own_red`.
    """

    head: str
    merged: tuple[Joined, ...]
    culprits: tuple[Joined, ...]
    collisions: tuple[Collision, ...]
    hindered: tuple[Candidate, ...]
    own_red: Results


# Returns the commit with the candidate on top of another commit.
Join: TypeAlias = Callable[[str, Candidate], str | Conflict]
# Runs the checks on a commit that has these candidates; without any those of the tip itself.
Verify: TypeAlias = Callable[[str, Sequence[Candidate]], Results]


def decide_batch(
    tip: str, candidates: Sequence[Candidate], *, join: Join, verify: Verify
) -> Decision:
    batch = _Batch(tip, candidates, join, verify)
    batch.settle()
    return Decision(
        head=batch.base,
        merged=tuple(batch.merged),
        culprits=tuple(batch.culprits),
        collisions=tuple(batch.collisions),
        hindered=tuple(batch.hindered),
        own_red=batch.own_red or (),
    )


def list_red(results: Sequence[CheckResult]) -> Results:
    return tuple(result for result in results if not result.green)


class _Batch:
    def __init__(
        self, tip: str, candidates: Sequence[Candidate], join: Join, verify: Verify
    ) -> None:
        # The tip, or a place that was verified green.
        self.base = tip
        self._left = list(candidates)
        self._join = join
        self._verify = verify
        self.merged: list[Joined] = []
        self.culprits: list[Joined] = []
        self.collisions: list[Collision] = []
        self.hindered: list[Candidate] = []
        # What is red on the tip itself; None before that was asked.
        self.own_red: Results | None = None

    def settle(self) -> None:
        while self._left:
            chain = self._join_left()
            if not chain:
                continue
            results = self._verify_chain(chain)
            if not list_red(results):
                self._accept(chain, results)
            elif self._has_red_base():
                self._try_first(chain, results)
            else:
                self._blame_first(chain, results)

    def _join_left(self) -> list[Joined]:
        """Join what is left; what conflicts with the base alone can never be joined."""
        chain: list[Joined] = []
        place = self.base
        for candidate in tuple(self._left):
            joined = self._join(place, candidate)
            if isinstance(joined, str):
                chain.append(Joined(candidate=candidate, onto=place, place=joined))
                place = joined
            elif not chain:
                collision = Collision(candidate=candidate, onto=place, conflict=joined)
                self.collisions.append(collision)
                self._left.remove(candidate)
        return chain

    def _verify_chain(self, chain: Sequence[Joined]) -> Results:
        before = [joined.candidate for joined in self.merged]
        return self._verify(chain[-1].place, [*before, *(joined.candidate for joined in chain)])

    def _accept(self, chain: Sequence[Joined], results: Results) -> None:
        """Take what was verified green into the base."""
        for joined in chain:
            self.merged.append(
                Joined(
                    candidate=joined.candidate,
                    onto=joined.onto,
                    place=joined.place,
                    results=results,
                )
            )
            self._left.remove(joined.candidate)
            self.base = joined.place

    def _has_red_base(self) -> bool:
        """Say whether the tip itself is red; what was merged on top of it is green."""
        if self.merged:
            return False
        if self.own_red is None:
            self.own_red = list_red(self._verify(self.base, ()))
        return bool(self.own_red)

    def _try_first(self, chain: Sequence[Joined], results: Results) -> None:
        """Verify a candidate alone on a red tip: it may be the one that repairs it."""
        joined = chain[0]
        results = results if len(chain) == 1 else self._verify_chain([joined])
        own = {result.command for result in self.own_red or ()}
        red = list_red(results)
        if not red:
            self._accept([joined], results)
            return
        self._left.remove(joined.candidate)
        if all(result.command in own for result in red):
            self.hindered.append(joined.candidate)
        else:
            self._blame(joined, results)

    def _blame_first(self, chain: Sequence[Joined], results: Results) -> None:
        """Find the candidate with which a green beginning of the chain turns red."""
        green, red = 0, len(chain)
        green_results: Results = ()
        while red - green > 1:
            middle = (green + red) // 2
            found = self._verify_chain(chain[:middle])
            if list_red(found):
                red, results = middle, found
            else:
                green, green_results = middle, found
        self._accept(chain[:green], green_results)
        self._left.remove(chain[green].candidate)
        self._blame(chain[green], results)

    def _blame(self, joined: Joined, results: Results) -> None:
        self.culprits.append(
            Joined(
                candidate=joined.candidate,
                onto=joined.onto,
                place=joined.place,
                results=list_red(results),
            )
        )
