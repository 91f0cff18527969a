"""The words behind a program, split into options and targets.

`pytest -k fast --verbose tests` has the options `-k` (`fast`) and `--verbose` (no value), and the
target `tests`.
"""

from collections.abc import Sequence
from typing import NamedTuple

from untildone.core.late_patterns import compile_late

# Programs whose first word is no target: `cargo test`, `ruff check`
_WITH_SUBCOMMAND = frozenset(
    (
        *("cargo", "go", "ruff", "npm", "pnpm", "yarn", "bun", "deno", "biome", "dotnet", "uv"),
        *("coverage", "git", "golangci-lint", "nox", "vitest", "playwright", "swift", "mix", "ng"),
    )
)
# Options whose value may be the next word: some short ones, and long ones but for known switches.
_TAKES_VALUE = compile_late(
    r"-[kmpnctorgjCefDWdu]|-run|-skip|-timeout|-count|-coverprofile|--(?!verbose|quiet|strict|no-|silent"
    r"|all|coverage$|ci$|noEmit|check$|offline|release|locked|workspace|test$|passWith|exit|fix|lf|co$"
    r"|cov$|run$|watch|forceExit|updateSnap|show|hide|branch|tests$|doc$|lib$|bins$|list|diff|fail-fast)[\w.-]+"
)


class Arguments(NamedTuple):
    # Name and value; the value is empty where an option has none.
    options: tuple[tuple[str, str], ...]
    # Without the subcommand.
    targets: tuple[str, ...]


def parse_arguments(program: str, words: Sequence[str]) -> Arguments:
    """Split the words behind a program into options and targets."""
    options: list[tuple[str, str]] = []
    targets: list[str] = []
    remaining = list(words)
    while remaining:
        word = remaining.pop(0)
        name, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-":
            targets.append(word)
        elif equals:
            options.append((name, value))
        else:
            # `sh -e test.sh`: no option of a shell takes the script as its value.
            may_take = program != "sh" and _TAKES_VALUE.fullmatch(word) is not None
            has_value = may_take and remaining and not remaining[0].startswith("-")
            options.append((word, remaining.pop(0) if has_value else ""))
    return Arguments(tuple(options), tuple(targets[1:] if program in _WITH_SUBCOMMAND else targets))


def find_option_value(words: Sequence[str], option: str) -> str:
    """Return the value of an option, empty without it: `-C dir`, `-Cdir`, `--prefix=dir`."""
    for position, word in enumerate(words):
        if word == option and position + 1 < len(words):
            return words[position + 1]
        if word.startswith(option) and word != option:
            return word.removeprefix(option).removeprefix("=")
    return ""
