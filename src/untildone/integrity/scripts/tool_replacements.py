"""Tools of a check that another tool replaces because the user asked for it."""

import re
from collections.abc import Iterator

from untildone.commands.arguments import parse_arguments
from untildone.commands.exit_status import Call
from untildone.integrity.scripts.argument_changes import find_narrowing_word

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


def is_replaced(call: Call, calls: tuple[list[Call], list[Call]], task: str) -> bool:
    """Whether a tool that is new among the calls checks everything that this call did."""
    old, new = calls
    targets = parse_arguments(call[0], call[1:]).targets
    for name, *words in _REPLACEMENTS.get(call[0], ()):
        if not _is_asked_for(call[0], name, task) or [*_find_runs(old, name, words)]:
            continue
        runs = _find_runs(new, name, words)
        if any(not find_narrowing_word(name, (*words, *targets), each) for each in runs):
            return True
    return False


def _is_asked_for(old: str, new: str, task: str) -> bool:
    named = all(re.search(rf"\b{each}\b", task, re.IGNORECASE) for each in (old, new))
    return named and _ASKS_FOR_REPLACEMENT.search(task) is not None


def _find_runs(calls: list[Call], name: str, words: list[str]) -> Iterator[Call]:
    subcommands = tuple(word for word in words if not word.startswith("-"))
    for program, *arguments in calls:
        if program == name and tuple(arguments[: len(subcommands)]) == subcommands:
            yield tuple(arguments)
