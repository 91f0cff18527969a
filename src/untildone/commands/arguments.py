"""The words behind a program, split into options and targets."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_WITH_SUBCOMMAND = frozenset(
    (
        *("cargo", "go", "ruff", "npm", "pnpm", "yarn", "bun", "deno", "biome", "dotnet", "uv"),
        *("coverage", "git", "golangci-lint", "nox", "vitest", "playwright", "swift", "mix", "ng"),
    )
)
_TAKES_VALUE = re.compile(
    r"-[kmpnctorgjCefDWdu]|-run|-skip|-timeout|-count|-coverprofile|--(?!verbose|quiet|strict|no-|silent"
    r"|all|coverage$|ci$|noEmit|check$|offline|release|locked|workspace|test$|passWith|exit|fix|lf|co$"
    r"|cov$|run$|watch|forceExit|updateSnap|show|hide|branch|tests$|doc$|lib$|bins$|list|diff|fail-fast)[\w.-]+"
)


class Arguments(NamedTuple):
    """Options have an empty value where they have none; targets leave out the subcommand."""

    options: tuple[tuple[str, str], ...]
    targets: tuple[str, ...]


def parse_arguments(program: str, words: Sequence[str]) -> Arguments:
    options: list[tuple[str, str]] = []
    targets: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-":
            targets.append(word)
        elif equals:
            options.append((name, value))
        else:
            takes = program != "sh" and _TAKES_VALUE.fullmatch(word) is not None
            has_value = takes and rest and not rest[0].startswith("-")
            options.append((word, rest.pop(0) if has_value else ""))
    return Arguments(tuple(options), tuple(targets[1:] if program in _WITH_SUBCOMMAND else targets))


def find_option(words: Sequence[str], option: str) -> str:
    """Return the value of an option: `-C folder`, `-Cfolder`, `--prefix=folder`."""
    for at, word in enumerate(words):
        if word == option and at + 1 < len(words):
            return words[at + 1]
        if word.startswith(option) and word != option:
            return word.removeprefix(option).removeprefix("=")
    return ""
