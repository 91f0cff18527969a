"""The deciding calls of two trees compared: which are gone, and which cover less than before."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from untildone.commands.arguments import parse_arguments
from untildone.commands.exit_status import Call
from untildone.integrity.scripts.argument_changes import (
    find_loosening_option,
    find_narrowing_word,
)
from untildone.integrity.scripts.covered_files import find_covered_files, runs_tests
from untildone.worktree.contents import Tree

# The baseline's, and the current one.
Trees: TypeAlias = tuple[Tree, Tree]


def find_weakened_calls(
    old: Iterable[Call], new: Iterable[Call], trees: Trees
) -> Iterator[tuple[Call, str]]:
    """Yield calls that no longer decide, with the word that narrows what is left of them."""
    current = list(new)
    for call in dict.fromkeys(old):
        similar = [each for each in current if each[0] == call[0]]
        reasons = [find_narrowing_word(call[0], call[1:], each[1:]) for each in similar]
        if not reasons:
            yield call, ""
        elif all(reasons) and not _cover_together(call, similar, trees):
            yield call, min(reasons, key=len)


def _cover_together(call: Call, similar: list[Call], trees: Trees) -> bool:
    """Whether the calls that are left cover the files of the old call together."""
    program, (old_tree, new_tree) = call[0], trees
    old = parse_arguments(program, call[1:])
    current = [parse_arguments(program, each[1:]) for each in similar]
    equal = [each for each in current if not find_loosening_option(program, old, each)]
    tests = runs_tests(program, dict(old.options))

    def cover(targets: tuple[str, ...], tree: Tree) -> frozenset[str]:
        return find_covered_files(program, targets, tree, tests=tests)

    if not equal or not all(
        cover((each,), old_tree) | cover((each,), new_tree) for each in old.targets
    ):
        return False
    covers_all = any(not each.targets for each in equal)
    targets = () if covers_all else tuple(target for each in equal for target in each.targets)
    known = cover(old.targets, new_tree)
    if not known and cover(old.targets, old_tree):
        # The files moved: the calls have to cover them at their new place.
        known = cover((), new_tree).difference(old_tree)
    return bool(known) and known <= cover(targets, new_tree)
