"""Tools of a check that another tool replaces because the task asks for it.

If the task is "migrate from flake8 to ruff", `flake8 src` may become `ruff check src`.
"""

import re

from untildone.commands.arguments import parse_arguments
from untildone.commands.exit_status import Call
from untildone.core.late_patterns import compile_late
from untildone.integrity.scripts.argument_changes import find_loosening_argument

# By tool: the calls that may replace it, each with the arguments without which it decides nothing.
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
_ASKS_FOR_REPLACEMENT = compile_late(
    r"\b(replac|migrat|switch|mov|port|convert|instead|drop|swap|from)", re.I
)


def is_replaced(call: Call, calls: tuple[list[Call], list[Call]], task: str) -> bool:
    """Say whether a tool that the task asks for checks everything that the old `call` checked.

    `calls` are those of the baseline and of the current tree. A tool that the baseline already ran
    replaces nothing.
    """
    old_calls, new_calls = calls
    old_tool = call[0]
    targets = parse_arguments(old_tool, call[1:]).targets
    for new_tool, *needed in _REPLACEMENTS.get(old_tool, ()):
        ran_before = bool(_list_arguments(old_calls, new_tool, needed))
        if ran_before or not _asks_for_replacement(task, old_tool, new_tool):
            continue
        for arguments in _list_arguments(new_calls, new_tool, needed):
            if not find_loosening_argument(new_tool, (*needed, *targets), arguments):
                return True
    return False


def _asks_for_replacement(task: str, old_tool: str, new_tool: str) -> bool:
    """Say whether the task names both tools and a word such as "migrate" or "instead"."""
    names_both = all(re.search(rf"\b{tool}\b", task, re.I) for tool in (old_tool, new_tool))
    return names_both and _ASKS_FOR_REPLACEMENT.search(task) is not None


def _list_arguments(calls: list[Call], tool: str, needed: list[str]) -> list[Call]:
    """Return the arguments of each call of the tool with these subcommands, as in `ruff check`."""
    subcommands = [word for word in needed if not word.startswith("-")]
    return [
        tuple(arguments)
        for program, *arguments in calls
        if program == tool and arguments[: len(subcommands)] == subcommands
    ]
