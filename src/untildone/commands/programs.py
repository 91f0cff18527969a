"""The programs that a command line starts, seen through the launchers in front of them.

`sudo uv run python -m pytest -q && npx eslint .` starts `pytest` and `eslint`.
"""

from collections.abc import Sequence

from untildone.commands.shell import program_name, split_commands, strip_wrappers
from untildone.core.late_patterns import compile_late

_PYTHON = compile_late(r"(?:python|pypy|py)[\d.]*")
PACKAGE_MANAGERS = frozenset(("npm", "pnpm", "yarn", "bun"))
# What stands in front of a tool and does not change what the tool does.
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
    """Return the programs in the order of the line, each once; `python -m NAME` is `NAME`."""
    return tuple(dict.fromkeys(filter(None, map(find_program, split_commands(command)))))


def find_single_program(command: str) -> tuple[str, list[str], list[str]] | None:
    """Return the program, the words up to it and those behind it, if the line starts only one."""
    first, *others = split_commands(command.strip())
    program = find_program(first)
    names = [program_name(word) for word in first]
    if others or program not in names:
        return None
    end = names.index(program) + 1
    return program, first[:end], first[end:]


def split_words(command: str) -> list[str]:
    """Return the words of all simple commands in a line, without the operators between them."""
    return [word for words in split_commands(command) for word in words]


def find_program(words: list[str]) -> str:
    """Return the program that the words of a simple command start; empty if they start none."""
    call = strip_wrappers(words)
    if not call:
        return ""
    call[0] = program_name(call[0])
    inner = strip_launcher(call)
    if inner[:2] == ["coverage", "run"]:
        inner = _skip_to_module(inner[2:])
    elif inner and inner[0].startswith("-"):
        # `uv run --with x pytest`: an option of the launcher
        inner = inner[1:]
    if len(inner) < len(call):
        return find_program(inner)
    if _PYTHON.fullmatch(inner[0]) and "-m" in inner:
        return next(iter(_skip_to_module(inner)), inner[0])
    return inner[0]


def _skip_to_module(words: list[str]) -> list[str]:
    """Return what follows `-m`; all words where a script is run without it."""
    return words[words.index("-m") + 1 :] if "-m" in words else words


def strip_launcher(words: Sequence[str]) -> list[str]:
    """Return the words behind a launcher such as `uv run`; all of them if there is none."""
    for launcher in LAUNCHERS:
        if tuple(words[: len(launcher)]) == launcher:
            inner = list(words[len(launcher) :])
            while inner and inner[0] in _HARMLESS_OPTIONS:
                del inner[0]
            return inner
    return list(words)
