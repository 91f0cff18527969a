"""Which walls a sandbox may have: the checks must do inside what they do outside.

At the baseline the checks run in a sandbox with all walls. If one goes worse than outside, because
it needs a database on this machine or a program in the home folder, a wall is left out.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.core.check_results import BaselineResult, CheckResult
from untildone.core.failure_changes import make_test_matcher
from untildone.core.text import join_first

# tree: the project's files are a copy at the project's own path. home: the home folder has
# toolchains and caches, without what was put there meanwhile. tmp: the folders for temporary files
# are empty. processes: other processes and their memory are out of reach. network: there is none
# but a loopback of its own.
Wall: TypeAlias = Literal["tree", "home", "tmp", "processes", "network"]
ALL_WALLS: tuple[Wall, ...] = ("tree", "home", "tmp", "processes", "network")
# The likeliest reason first.
_REMOVABLE: tuple[Wall, ...] = ("network", "home", "tmp", "processes")


class SandboxRunResult(Struct, frozen=True, kw_only=True):
    """The results in one sandbox, the walls that stood, and why it is unknown what was read."""

    results: tuple[CheckResult, ...]
    walls: tuple[Wall, ...]
    unproved: str = ""


class WallTrial(Struct, frozen=True, kw_only=True):
    """Whether the checks do the same in a sandbox as outside, and with which walls.

    `reasons` says what went worse behind the walls that were left out.
    """

    works: bool
    walls: tuple[Wall, ...] = ()
    reasons: tuple[str, ...] = ()


def can_go_worse(outside: Iterable[BaselineResult | CheckResult]) -> bool:
    """Say whether a check passes something outside that it could fail in a sandbox."""
    return any(result.green or (result.tests and result.tests.passed) for result in outside)


def find_walls(
    run: Callable[[tuple[Wall, ...]], SandboxRunResult], outside: Sequence[BaselineResult]
) -> WallTrial:
    """Try sandboxes with fewer and fewer walls; `run` runs the checks on the baseline in one."""
    reasons: tuple[str, ...] = ()
    for walls in _list_candidates():
        result = run(walls)
        worse = (result.unproved,) if result.unproved else find_worse(result.results, outside)
        problems = tuple(worse)
        if not problems:
            return WallTrial(works=True, walls=result.walls, reasons=reasons)
        reasons = reasons or problems
        if not result.walls:
            # Without namespaces every sandbox is the same.
            break
    return WallTrial(works=False, reasons=reasons)


def _list_candidates() -> Iterator[tuple[Wall, ...]]:
    """Yield all walls, all but one, and the tree alone."""
    yield ALL_WALLS
    for removed in _REMOVABLE:
        yield tuple(wall for wall in ALL_WALLS if wall != removed)
    yield ("tree",)


def find_worse(inside: Iterable[CheckResult], outside: Iterable[BaselineResult]) -> Iterator[str]:
    """Yield what went worse inside, for each check that was green or red outside."""
    results = {result.name: result for result in inside}
    for before in outside:
        if before.outcome in ("green", "red") and before.name in results:
            reason = _explain_worse(results[before.name], before)
            if reason:
                yield f"`{before.name}` {reason}"


def _explain_worse(inside: CheckResult, outside: BaselineResult) -> str:
    """Return how the result inside is worse than the one outside; empty if it is not."""
    if inside.outcome == "unrunnable" or (outside.green and not inside.green):
        return inside.reason or f"is {inside.outcome}"
    if outside.tests is None or not outside.tests.executed:
        return ""
    if inside.tests is None or not inside.tests.executed:
        return "runs no test"
    if len(outside.tests.passing) < outside.tests.passed:
        return "" if inside.tests.passed >= outside.tests.passed else "passes fewer tests"
    failing = set(inside.tests.failing)
    named = make_test_matcher(inside.tests)
    lost = [test for test in outside.tests.passing if test in failing or not named(test)]
    return f"fails {join_first(lost, 3)}" if lost else ""


def describe_walls(walls: tuple[Wall, ...], reasons: tuple[str, ...] = ()) -> str:
    """Return a line for the receipt: which walls stood, and which did not and why."""
    if not walls:
        return "the sandbox was a copy beside the project, without walls"
    missing = [wall for wall in ALL_WALLS if wall not in walls]
    standing = f"walls of the sandbox: {', '.join(walls)}"
    if not missing:
        return standing
    why = f", since behind it {'; '.join(reasons)}" if reasons else ""
    return f"{standing}; left out: {', '.join(missing)}{why}"
