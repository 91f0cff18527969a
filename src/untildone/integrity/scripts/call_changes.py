"""The calls of tools that decided a check in the baseline and decide less of it now.

A call is a program with its arguments, such as `("pytest", "-q", "tests")`. If it became
`("pytest", "-q", "tests/unit")` it is weakened by `tests`, the target that it lost.
"""

from collections.abc import Iterator
from typing import NamedTuple

from untildone.commands.arguments import parse_arguments
from untildone.commands.exit_status import Call
from untildone.integrity.comparison import Comparison
from untildone.integrity.scripts.argument_changes import (
    find_loosening_argument,
    find_loosening_option,
)
from untildone.integrity.scripts.covered_files import find_covered_files, runs_tests
from untildone.integrity.scripts.tool_replacements import is_replaced
from untildone.worktree.contents import Tree


class WeakenedCall(NamedTuple):
    """A call of the baseline that no current call is as strict as."""

    call: Call
    # The argument that loosens the call; empty if no current call runs its program.
    argument: str = ""
    # Whether the task asks for another tool, which now checks as much.
    has_replacement: bool = False


def find_weakened_calls(
    comparison: Comparison, old_calls: list[Call], new_calls: list[Call]
) -> Iterator[WeakenedCall]:
    """Yield the weakened ones of the calls that decided a check in the baseline."""
    for call in dict.fromkeys(old_calls):
        program, *arguments = call
        similar = [other for other in new_calls if other[0] == program]
        loosening = [find_loosening_argument(program, arguments, other[1:]) for other in similar]
        if not similar:
            has_replacement = is_replaced(call, (old_calls, new_calls), comparison.task)
            yield WeakenedCall(call, has_replacement=has_replacement)
        elif all(loosening) and not _cover_together(call, similar, comparison.trees):
            yield WeakenedCall(call, min(loosening, key=len))


def _cover_together(call: Call, similar: list[Call], trees: tuple[Tree, Tree]) -> bool:
    """Say whether new calls of the same program cover the files of the old call together.

    `pytest tests` may become `pytest tests/unit` and `pytest tests/web` if no test is elsewhere.
    """
    program, (old_tree, new_tree) = call[0], trees
    old = parse_arguments(program, call[1:])
    parsed = (parse_arguments(program, other[1:]) for other in similar)
    as_strict = [new for new in parsed if not find_loosening_option(program, old, new)]
    only_tests = runs_tests(program, dict(old.options))

    def cover(targets: tuple[str, ...], tree: Tree) -> frozenset[str]:
        """Return the files that the program checks with these targets."""
        return find_covered_files(program, targets, tree, only_tests=only_tests)

    def is_understood(target: str) -> bool:
        """Say whether the target names files; an expression or an unset variable names none."""
        return bool(cover((target,), old_tree) | cover((target,), new_tree))

    if not as_strict or not all(map(is_understood, old.targets)):
        return False
    covers_all = any(not new.targets for new in as_strict)
    targets = () if covers_all else tuple(target for new in as_strict for target in new.targets)
    wanted = cover(old.targets, new_tree)
    if not wanted and cover(old.targets, old_tree):
        # The files moved: the calls have to cover them at their new place.
        wanted = cover((), new_tree).difference(old_tree)
    return bool(wanted) and wanted <= cover(targets, new_tree)
