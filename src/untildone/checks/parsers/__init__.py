"""The parsers of tool output, one module per tool, and which programs they know.

A module is imported when it is first asked for: the output of a check needs a few of them.
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import cast

from untildone.checks.parser import Parser
from untildone.checks.parsers import lines

# The programs of each module, which says the same.
PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "pytest": ("pytest", "py.test"),
    "unittest": ("unittest",),
    "ruff": ("ruff",),
    "tsc": ("tsc", "vue-tsc", "tsgo"),
    "eslint": ("eslint",),
    "jest": ("jest",),
    "vitest": ("vitest",),
    "node": ("node", "tsx"),
    "mocha": ("mocha", "_mocha"),
    "cargo": ("cargo", "rustc", "cargo-clippy"),
    "go": ("go", "gotestsum", "golangci-lint"),
    "mypy": ("mypy", "dmypy"),
    "pyright": ("pyright", "basedpyright"),
    "ty": ("ty",),
    "biome": ("biome",),
    "prettier": ("prettier",),
    "cc": ("cc", "c++", "gcc", "g++", "clang", "clang++", "cmake"),
    "cmake": ("cmake", "ctest"),
    "javac": ("javac", "gradle", "gradlew"),
    "maven": ("mvn", "mvnw", "mvnd"),
    "gradle": ("gradle", "gradlew"),
    "shellcheck": ("shellcheck",),
    "astgrep": ("ast-grep", "sg", "untildone.checks.security"),
    "sarif": (),
    "junit": (),
    "tap": ("bats", "tape", "tap", "ava", "perl", "prove", "mocha", "_mocha"),
}
# Those that read a whole document, whatever program wrote it.
_DOCUMENTS = ("ruff", "sarif", "junit")
LAST_RESORT: Parser = lines


class _Parsers(Mapping[str, Parser]):
    def __getitem__(self, name: str) -> Parser:
        if name not in PROGRAMS:
            raise KeyError(name)
        return cast(Parser, import_module(f"{__name__}.{name}"))

    def __iter__(self) -> Iterator[str]:
        return iter(PROGRAMS)

    def __len__(self) -> int:
        return len(PROGRAMS)


PARSERS: Mapping[str, Parser] = _Parsers()


def find_parsers(programs: Iterable[str]) -> dict[str, Parser]:
    """Return the parsers that know one of these programs, by name."""
    names = set(programs)
    return {name: PARSERS[name] for name in PROGRAMS if names.intersection(PROGRAMS[name])}


def reads_documents(parser: Parser) -> bool:
    return any(parser is PARSERS[name] for name in _DOCUMENTS)
