"""Which walls a sandbox may have, by what the checks do behind them."""

import pytest

from core.samples import result
from untildone.core.check_results import BaselineResult, CheckResult, Tests
from untildone.core.sandbox_trial import (
    ALL_WALLS,
    SandboxRunResult,
    Wall,
    WallTrial,
    can_go_worse,
    describe_walls,
    find_walls,
    find_worse,
)

PASSING = Tests(passed=2, passing=("a", "b"))
OUTSIDE = BaselineResult(name="test", outcome="green", tests=PASSING)
GREEN = result("green", tests=PASSING)
RED = result("red", reason="1 of 2 tests failed")


@pytest.mark.parametrize(
    ("inside", "outside", "expected"),
    [
        pytest.param(GREEN, OUTSIDE, [], id="the same"),
        pytest.param(RED, OUTSIDE, ["`test` 1 of 2 tests failed"], id="red"),
        pytest.param(result("red"), OUTSIDE, ["`test` is red"], id="red without a reason"),
        pytest.param(
            result("unrunnable", reason="`npm` was not found"),
            BaselineResult(name="test", outcome="red"),
            ["`test` `npm` was not found"],
            id="not found",
        ),
        pytest.param(
            result("red", tests=Tests(passed=1, failed=1, passing=("a",), failing=("b",))),
            BaselineResult(
                name="test", outcome="red", tests=Tests(passed=2, failed=1, passing=("a", "b"))
            ),
            ["`test` fails b"],
            id="another test fails",
        ),
        pytest.param(
            result("red"),
            BaselineResult(name="test", outcome="red", tests=PASSING),
            ["`test` runs no test"],
            id="no test runs",
        ),
        pytest.param(
            result("red", tests=Tests(passed=1, failed=1)),
            BaselineResult(name="test", outcome="red", tests=Tests(passed=2, failed=1)),
            ["`test` passes fewer tests"],
            id="fewer tests without names",
        ),
        pytest.param(RED, BaselineResult(name="test", outcome="red"), [], id="red as outside"),
        pytest.param(RED, BaselineResult(name="test", outcome="no-evidence"), [], id="unknown"),
        pytest.param(RED, BaselineResult(name="other", outcome="green"), [], id="another check"),
    ],
)
def test_what_goes_worse_inside(
    inside: CheckResult, outside: BaselineResult, expected: list[str]
) -> None:
    assert list(find_worse((inside,), (outside,))) == expected


@pytest.mark.parametrize(
    ("needed", "expected"),
    [
        ({"tree"}, ALL_WALLS),
        ({"network"}, ("tree", "home", "tmp", "processes")),
        ({"processes"}, ("tree", "home", "tmp", "network")),
        ({"network", "home"}, ("tree",)),
    ],
)
def test_the_fewest_walls_are_left_out(needed: set[Wall], expected: tuple[Wall, ...]) -> None:
    def run(walls: tuple[Wall, ...]) -> SandboxRunResult:
        """The checks need what is behind these walls."""
        hampered = needed.intersection(walls) - {"tree"}
        return SandboxRunResult(results=(RED if hampered else GREEN,), walls=walls)

    trial = find_walls(run, (OUTSIDE,))

    reasons = () if expected == ALL_WALLS else ("`test` 1 of 2 tests failed",)
    assert trial == WallTrial(works=True, walls=expected, reasons=reasons)


def test_checks_that_never_run_inside_say_why() -> None:
    tried = []

    def run(walls: tuple[Wall, ...]) -> SandboxRunResult:
        tried.append(walls)
        return SandboxRunResult(results=(RED,), walls=walls)

    assert find_walls(run, (OUTSIDE,)) == WallTrial(
        works=False, reasons=("`test` 1 of 2 tests failed",)
    )
    assert len(tried) == 6


def test_without_namespaces_one_run_is_enough() -> None:
    tried = []

    def run(walls: tuple[Wall, ...]) -> SandboxRunResult:
        tried.append(walls)
        return SandboxRunResult(results=(), walls=(), unproved="an import hook")

    assert find_walls(run, (OUTSIDE,)) == WallTrial(works=False, reasons=("an import hook",))
    assert len(tried) == 1


def test_what_passes_nothing_cannot_go_worse() -> None:
    assert not can_go_worse((BaselineResult(name="test", outcome="red", tests=Tests(failed=2)),))
    assert can_go_worse((BaselineResult(name="test", outcome="red", tests=PASSING),))
    assert can_go_worse((OUTSIDE,))


@pytest.mark.parametrize(
    ("walls", "reasons", "text"),
    [
        (ALL_WALLS, (), "walls of the sandbox: tree, home, tmp, processes, network"),
        ((), (), "the sandbox was a copy beside the project, without walls"),
        (
            ("tree", "home", "tmp", "processes"),
            ("`test` fails db",),
            "walls of the sandbox: tree, home, tmp, processes; left out: network,"
            " since behind it `test` fails db",
        ),
    ],
)
def test_the_receipt_names_the_walls(
    walls: tuple[Wall, ...], reasons: tuple[str, ...], text: str
) -> None:
    assert describe_walls(walls, reasons) == text
