"""The calls of tools that decided a check in the baseline and decide less of it now.

A call is a program with its arguments, such as `("pytest", "-q", "tests")`. If it became
`("pytest", "-q", "tests/unit")` it is weakened by `tests`, the target that it lost.
"""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from untildone.commands.arguments import parse_arguments
from untildone.commands.exit_status import Call
from untildone.integrity.scripts.argument_changes import (
    find_loosening_argument,
    find_loosening_option,
)
from untildone.integrity.scripts.covered_files import find_covered_files, runs_tests
from untildone.worktree.contents import Tree

# The baseline's tree and the current one.
Trees: TypeAlias = tuple[Tree, Tree]


def find_weakened_calls(
    old_calls: Iterable[Call], new_calls: Iterable[Call], trees: Trees
) -> Iterator[tuple[Call, str]]:
    """Yield old calls that no new call is as strict as, with the argument that loosens them.

    The argument is empty if no new call runs the same program.
    """
    current = list(new_calls)
    for call in dict.fromkeys(old_calls):
        program, *arguments = call
        similar = [other for other in current if other[0] == program]
        loosening = [find_loosening_argument(program, arguments, other[1:]) for other in similar]
        if not similar:
            yield call, ""
        elif all(loosening) and not _cover_together(call, similar, trees):
            yield call, min(loosening, key=len)


def _cover_together(call: Call, similar: list[Call], trees: Trees) -> bool:
    """Say whether new calls of the same program cover the files of the old call together.

    `pytest tests` may become `pytest tests/unit` and `pytest tests/web` if no test is elsewhere.
    """
    program, (old_tree, new_tree) = call[0], trees
    old = parse_arguments(program, call[1:])
    current = [parse_arguments(program, other[1:]) for other in similar]
    as_strict = [other for other in current if not find_loosening_option(program, old, other)]
    only_tests = runs_tests(program, dict(old.options))

    def cover(targets: tuple[str, ...], tree: Tree) -> frozenset[str]:
        return find_covered_files(program, targets, tree, only_tests=only_tests)

    def is_understood(target: str) -> bool:
        """Say whether the target names files; an expression or an unset variable names none."""
        return bool(cover((target,), old_tree) | cover((target,), new_tree))

    if not as_strict or not all(map(is_understood, old.targets)):
        return False
    covers_all = any(not other.targets for other in as_strict)
    targets = () if covers_all else tuple(name for other in as_strict for name in other.targets)
    wanted = cover(old.targets, new_tree)
    if not wanted and cover(old.targets, old_tree):
        # The files moved: the calls have to cover them at their new place.
        wanted = cover((), new_tree).difference(old_tree)
    return bool(wanted) and wanted <= cover(targets, new_tree)
