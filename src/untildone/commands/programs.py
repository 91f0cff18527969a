"""The programs that a command line starts, seen through the launchers in front of them."""

import re
from collections.abc import Sequence

from untildone.commands.shell import program_name, split_commands, strip_wrappers

_PYTHON = re.compile(r"(?:python|pypy|py)[\d.]*")
PACKAGE_MANAGERS = frozenset(("npm", "pnpm", "yarn", "bun"))
# What stands in front of a tool and has no say in what the tool does.
LAUNCHERS = (
    *(("npx",), ("bunx",), ("pnpx",), ("uvx",)),
    *((program, "run") for program in ("uv", "poetry", "pipenv", "pdm", "hatch", "rye")),
    *((program, "exec") for program in ("npm", "pnpm", "yarn", "bundle")),
    *((program, "dlx") for program in ("pnpm", "yarn")),
    ("bun", "x"),
    ("coverage", "run", "-m"),
)
# Options of launchers that do not change which program runs, or from where.
_HARMLESS_OPTIONS = frozenset(
    ("--", "-y", "--yes", "--no", "--no-install", "--frozen", "--locked", "--offline", "--quiet")
)


def find_programs(command: str) -> tuple[str, ...]:
    """Return the programs in the order of the line; `python -m NAME` is `NAME`."""
    return tuple(dict.fromkeys(filter(None, map(_find_program, split_commands(command)))))


def find_single_program(command: str) -> tuple[str, list[str], list[str]] | None:
    """Return the program, the words up to it and those behind it, if the line starts only one."""
    first, *others = split_commands(command.strip())
    program = _find_program(first)
    names = [program_name(word) for word in first]
    if others or program not in names:
        return None
    end = names.index(program) + 1
    return program, first[:end], first[end:]


def split_words(command: str) -> list[str]:
    return [word for words in split_commands(command) for word in words]


def _find_program(words: list[str]) -> str:
    inner = strip_wrappers(words)
    if not inner:
        return ""
    inner[0] = program_name(inner[0])
    rest = strip_launcher(inner)
    if rest[:2] == ["coverage", "run"]:
        rest = _skip_to_module(rest[2:])
    elif rest and rest[0].startswith("-"):
        rest = rest[1:]
    if len(rest) < len(inner):
        return _find_program(rest)
    if _PYTHON.fullmatch(rest[0]) and "-m" in rest:
        return next(iter(_skip_to_module(rest)), rest[0])
    return rest[0]


def _skip_to_module(words: list[str]) -> list[str]:
    """Return what follows `-m`; all words where a script is run without it."""
    return words[words.index("-m") + 1 :] if "-m" in words else words


def strip_launcher(words: Sequence[str]) -> list[str]:
    """Return the words behind a launcher such as `uv run`; all of them if there is none."""
    for launcher in LAUNCHERS:
        if tuple(words[: len(launcher)]) == launcher:
            rest = list(words[len(launcher) :])
            while rest and rest[0] in _HARMLESS_OPTIONS:
                del rest[0]
            return rest
    return list(words)
