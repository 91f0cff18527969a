"""The deciding calls of two trees compared: which are gone, cover less or were replaced.

`pytest` that became `pytest -k fast` is narrowed. `flake8` may become `ruff check` if the task asks
for it.
"""

import re
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
# What may replace a tool, with the words without which it decides nothing.
_REPLACEMENTS: dict[str, tuple[Call, ...]] = {
    "flake8": (("ruff", "check"),),
    "pylint": (("ruff", "check"),),
    "isort": (("ruff", "check"),),
    "black": (("ruff", "format", "--check"),),
    "unittest": (("pytest",),),
    "nose2": (("pytest",),),
    "tox": (("nox",),),
    "nox": (("tox",),),
    "mypy": (("pyright",),),
    "pyright": (("mypy",),),
    "mocha": (("vitest", "run"), ("jest",)),
    "jest": (("vitest", "run"),),
}
_ASKS_FOR_REPLACEMENT = re.compile(
    r"\b(replac|migrat|switch|mov|port|convert|instead|drop|swap|from)", re.I
)


def find_weakened_calls(
    old: Iterable[Call], new: Iterable[Call], trees: Trees
) -> Iterator[tuple[Call, str]]:
    """Yield calls that no longer decide, with the word that narrows what is left of them."""
    current = list(new)
    for call in dict.fromkeys(old):
        similar = [other for other in current if other[0] == call[0]]
        reasons = [find_narrowing_word(call[0], call[1:], other[1:]) for other in similar]
        if not reasons:
            yield call, ""
        elif all(reasons) and not _cover_together(call, similar, trees):
            yield call, min(reasons, key=len)


def _cover_together(call: Call, similar: list[Call], trees: Trees) -> bool:
    """Whether the calls that are left cover the files of the old call together."""
    program, (old_tree, new_tree) = call[0], trees
    old = parse_arguments(program, call[1:])
    parsed = (parse_arguments(program, other[1:]) for other in similar)
    equal = [new for new in parsed if not find_loosening_option(program, old, new)]
    tests = runs_tests(program, dict(old.options))

    def cover(targets: tuple[str, ...], tree: Tree) -> frozenset[str]:
        return find_covered_files(program, targets, tree, tests=tests)

    # A target that covers nothing may be something else than a path.
    are_paths = all(any(cover((target,), tree) for tree in trees) for target in old.targets)
    if not equal or not are_paths:
        return False
    covers_all = any(not new.targets for new in equal)
    targets = () if covers_all else tuple(target for new in equal for target in new.targets)
    known = cover(old.targets, new_tree)
    if not known and cover(old.targets, old_tree):
        # The files moved: the calls have to cover them at their new place.
        known = cover((), new_tree).difference(old_tree)
    return bool(known) and known <= cover(targets, new_tree)


def is_replaced(call: Call, calls: tuple[list[Call], list[Call]], task: str) -> bool:
    """Whether a tool that is new among the calls checks everything that this call did."""
    old, new = calls
    targets = parse_arguments(call[0], call[1:]).targets
    for name, *words in _REPLACEMENTS.get(call[0], ()):
        if not _is_asked_for(call[0], name, task) or [*_find_runs(old, name, words)]:
            continue
        runs = _find_runs(new, name, words)
        if any(not find_narrowing_word(name, (*words, *targets), run) for run in runs):
            return True
    return False


def _is_asked_for(old: str, new: str, task: str) -> bool:
    is_named = all(re.search(rf"\b{name}\b", task, re.IGNORECASE) for name in (old, new))
    return is_named and _ASKS_FOR_REPLACEMENT.search(task) is not None


def _find_runs(calls: list[Call], name: str, words: list[str]) -> Iterator[Call]:
    subcommands = tuple(word for word in words if not word.startswith("-"))
    for program, *arguments in calls:
        if program == name and tuple(arguments[: len(subcommands)]) == subcommands:
            yield tuple(arguments)
