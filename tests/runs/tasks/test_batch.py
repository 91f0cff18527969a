"""Whatever turns a batch red: what is merged was verified green, and few runs find the rest."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from untildone.core.check_results import CheckResult
from untildone.runs.tasks.batch import Candidate, Conflict, Decision, decide_batch

NAMES = "abcdefghij"


class Scene(Struct, frozen=True, kw_only=True):
    """What breaks alone or as a pair, what conflicts with what, and who repairs a red tip."""

    names: str
    broken: frozenset[str] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()
    conflicts: frozenset[tuple[str, str]] = frozenset()
    is_tip_red: bool = False
    repairs: frozenset[str] = frozenset()

    def list_red(self, place: str) -> list[str]:
        red = [f"of {name}" for name in place if name in self.broken]
        red += [f"of {pair}" for pair in self.pairs if set(pair) <= set(place)]
        red += ["of the tip"] if self.is_tip_red and not self.repairs & set(place) else []
        return red


class Played(Struct):
    decision: Decision
    runs: list[str]


def play(scene: Scene) -> Played:
    """A place is the text of the names that it has."""
    runs: list[str] = []

    def join(onto: str, candidate: Candidate) -> str | Conflict:
        if any((name, candidate.task) in scene.conflicts for name in ("", *onto)):
            return Conflict(tree=onto + candidate.task, files=("f",))
        return onto + candidate.task

    def verify(place: str, candidates: Sequence[Candidate]) -> tuple[CheckResult, ...]:
        assert "".join(one.task for one in candidates) == place
        runs.append(place)
        red = scene.list_red(place)
        return (
            CheckResult(name="x", command="true", outcome="green"),
            *(CheckResult(name=name, command=name, outcome="red") for name in red),
        )

    candidates = [Candidate(task=name, title="", commit=name, base="") for name in scene.names]
    return Played(decide_batch("", candidates, join=join, verify=verify), runs)


def describe(decision: Decision) -> tuple[str, str, str, str]:
    merged = "".join(one.candidate.task for one in decision.merged)
    culprits = "".join(one.candidate.task for one in decision.culprits)
    collisions = "".join(one.candidate.task for one in decision.collisions)
    return merged, culprits, collisions, "".join(one.task for one in decision.hindered)


@pytest.mark.parametrize(
    ("scene", "expected", "runs"),
    [
        pytest.param(Scene(names=""), ("", "", "", ""), [], id="nothing"),
        pytest.param(Scene(names="abcd"), ("abcd", "", "", ""), ["abcd"], id="all green"),
        pytest.param(
            Scene(names="abcd", broken=frozenset("c")),
            ("abd", "c", "", ""),
            ["abcd", "", "ab", "abc", "abd"],
            id="one culprit",
        ),
        pytest.param(
            Scene(names="abcd", pairs=frozenset([("b", "d")])),
            ("abc", "d", "", ""),
            ["abcd", "", "ab", "abc"],
            id="the later one of a pair",
        ),
        pytest.param(
            Scene(names="ab", conflicts=frozenset([("", "a"), ("b", "a")])),
            ("b", "", "a", ""),
            ["b"],
            id="a conflict with the tip",
        ),
        pytest.param(
            Scene(names="abc", conflicts=frozenset([("a", "b")]), broken=frozenset("a")),
            ("bc", "a", "", ""),
            ["ac", "", "a", "bc"],
            id="a conflict with what is not merged in the end is none",
        ),
        pytest.param(
            Scene(names="abc", is_tip_red=True, broken=frozenset("b")),
            ("", "b", "", "ac"),
            ["abc", "", "a", "bc", "b", "c"],
            id="the tip itself is red",
        ),
        pytest.param(
            Scene(names="abc", is_tip_red=True, repairs=frozenset("b")),
            ("abc", "", "", ""),
            ["abc"],
            id="a red tip is repaired",
        ),
    ],
)
def test_decisions(scene: Scene, expected: tuple[str, str, str, str], runs: list[str]) -> None:
    played = play(scene)

    assert describe(played.decision) == expected
    assert played.runs == runs


def test_a_culprit_is_shown_on_the_green_place_before_it() -> None:
    (culprit,) = play(Scene(names="abcd", broken=frozenset("c"))).decision.culprits

    assert (culprit.onto, culprit.place) == ("ab", "abc")
    assert [result.name for result in culprit.results] == ["of c"]


SETS = st.frozensets(st.sampled_from(NAMES), max_size=4)
PAIRS = st.frozensets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=4)


@given(st.integers(0, len(NAMES)), SETS, PAIRS, PAIRS, st.booleans(), SETS)
def test_only_what_was_verified_green_is_merged(
    count: int,
    broken: frozenset[str],
    pairs: frozenset[tuple[str, str]],
    conflicts: frozenset[tuple[str, str]],
    is_tip_red: bool,
    repairs: frozenset[str],
) -> None:
    scene = Scene(
        names=NAMES[:count],
        broken=broken,
        pairs=pairs,
        conflicts=conflicts,
        is_tip_red=is_tip_red,
        repairs=repairs,
    )
    played = play(scene)
    decision = played.decision

    assert sorted("".join(describe(decision))) == sorted(scene.names)
    if decision.head:
        assert decision.head in played.runs
        assert scene.list_red(decision.head) == []
    assert decision.head == describe(decision)[0]
    for culprit in decision.culprits:
        assert culprit.onto == "" or scene.list_red(culprit.onto) == []
        assert scene.list_red(culprit.place)


@given(st.integers(1, len(NAMES)), SETS, PAIRS)
def test_runs_are_bounded_and_the_innocent_are_merged(
    count: int, broken: frozenset[str], pairs: frozenset[tuple[str, str]]
) -> None:
    scene = Scene(names=NAMES[:count], broken=broken, pairs=pairs)
    played = play(scene)

    merged, culprits, _, hindered = describe(played.decision)
    steps = math.ceil(math.log2(count)) + 1
    assert len(played.runs) <= 2 + len(culprits) * steps
    suspects = broken.union(*map(frozenset, pairs))
    assert set(scene.names) - suspects <= set(merged)
    assert hindered == ""
