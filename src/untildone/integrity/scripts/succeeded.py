"""A tool of a check whose place another one takes, because the person asked for that."""

import re
from collections.abc import Iterator

from untildone.commands.exit_status import Call
from untildone.integrity.scripts.arguments import narrowed, read

# What has to stand in its place, with the words without which it decides nothing.
_SUCCESSORS: dict[str, tuple[Call, ...]] = {
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
_REPLACED = re.compile(r"\b(replac|migrat|switch|mov|port|convert|instead|drop|swap|from)", re.I)


def succeeded(call: Call, calls: tuple[list[Call], list[Call]], task: str) -> bool:
    """Whether one that was not run at the start looks at all of it, or at what this one did."""
    before, now = calls
    aimed = read(call[0], call[1:]).targets
    for name, *words in _SUCCESSORS.get(call[0], ()):
        asked = all(re.search(rf"\b{each}\b", task, re.IGNORECASE) for each in (call[0], name))
        if not asked or not _REPLACED.search(task) or [*_runs(before, name, words)]:
            continue
        looks = _runs(now, name, words)
        if any(not narrowed(name, (*words, *aimed), each) for each in looks):
            return True
    return False


def _runs(calls: list[Call], name: str, words: list[str]) -> Iterator[Call]:
    plain = tuple(word for word in words if not word.startswith("-"))
    for program, *given in calls:
        if program == name and tuple(given[: len(plain)]) == plain:
            yield tuple(given)
