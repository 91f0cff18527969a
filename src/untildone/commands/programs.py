"""Which programs a command line comes to, through the programs that only start others."""

import re
import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath

# Each starts the program named after its own options.
_WRAPPERS = frozenset(
    {"npx", "bunx", "pnpx", "uvx", "env", "time", "nice", "exec", "xvfb-run", "winpty", "command"}
)
# Each does so only behind one of these words.
_WITH_WORD = {
    "uv": ("run",),
    "poetry": ("run",),
    "pdm": ("run",),
    "rye": ("run",),
    "hatch": ("run",),
    "pipenv": ("run",),
    "npm": ("exec",),
    "pnpm": ("exec", "dlx"),
    "yarn": ("exec", "dlx"),
    "bun": ("x",),
    "bundle": ("exec",),
    "coverage": ("run",),
}
_PYTHON = re.compile(r"(?:python|pypy|py)[\d.]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SEPARATORS = frozenset({"&&", "||", ";", "|", "&", "(", ")", "|&", ";;"})


def programs(command: str) -> tuple[str, ...]:
    """The programs in the order of the line; `python -m NAME` is `NAME`."""
    return tuple(dict.fromkeys(filter(None, map(_program, _simple_commands(command)))))


def lone_program(command: str) -> tuple[str, list[str], list[str]] | None:
    """The program, the words up to it and those behind it, of a line that starts only one."""
    commands = list(_simple_commands(command.strip()))
    program = _program(commands[0])
    names = [_name(word) for word in commands[0]]
    if len(commands) > 1 or program not in names:
        return None
    behind = names.index(program) + 1
    return program, commands[0][:behind], commands[0][behind:]


def words_of(command: str) -> list[str]:
    return [word for words in _simple_commands(command) for word in words]


def _simple_commands(command: str) -> Iterator[list[str]]:
    words: list[str] = []
    for word in _words(command):
        if word in _SEPARATORS:
            yield words
            words = []
        else:
            words.append(word)
    yield words


def _words(command: str) -> list[str]:
    lexer = shlex.shlex(command.replace("\n", ";"), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        # An open quote: the shell will complain, the first words still tell the program.
        return command.split()


def _program(words: list[str]) -> str:
    rest = list(words)
    while rest:
        name = _name(rest.pop(0))
        if _ASSIGNMENT.match(name) or name in _WRAPPERS or name.startswith("-"):
            continue
        if name in _WITH_WORD and rest and rest[0] in _WITH_WORD[name]:
            rest = _module(rest[1:]) if name == "coverage" else rest[1:]
            continue
        if _PYTHON.fullmatch(name):
            return next(iter(_module(rest)), name) if "-m" in rest else name
        return name
    return ""


def _module(words: list[str]) -> list[str]:
    """What follows `-m`; a script without it is what coverage or Python runs itself."""
    return words[words.index("-m") + 1 :] if "-m" in words else words


def _name(word: str) -> str:
    name = PurePosixPath(word.replace("\\", "/")).name
    return re.sub(r"\.(?:exe|cmd|bat|ps1)$", "", name, flags=re.IGNORECASE)
