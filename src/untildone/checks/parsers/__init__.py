"""The parsers of tool output, one module per tool, and which programs they know."""

from collections.abc import Iterable

from untildone.checks.parser import Parser
from untildone.checks.parsers import (
    astgrep,
    biome,
    cargo,
    cc,
    cmake,
    eslint,
    go,
    gradle,
    javac,
    jest,
    junit,
    lines,
    maven,
    mocha,
    mypy,
    node,
    prettier,
    pyright,
    pytest,
    ruff,
    sarif,
    shellcheck,
    tap,
    tsc,
    ty,
    unittest,
    vitest,
)

PARSERS: dict[str, Parser] = {
    "pytest": pytest,
    "unittest": unittest,
    "ruff": ruff,
    "tsc": tsc,
    "eslint": eslint,
    "jest": jest,
    "vitest": vitest,
    "node": node,
    "mocha": mocha,
    "cargo": cargo,
    "go": go,
    "mypy": mypy,
    "pyright": pyright,
    "ty": ty,
    "biome": biome,
    "prettier": prettier,
    "cc": cc,
    "cmake": cmake,
    "javac": javac,
    "maven": maven,
    "gradle": gradle,
    "shellcheck": shellcheck,
    "astgrep": astgrep,
    "sarif": sarif,
    "junit": junit,
    "tap": tap,
}
# Those that read a whole document, whatever program wrote it.
DOCUMENTS: tuple[Parser, ...] = (ruff, sarif, junit)
LAST_RESORT: Parser = lines


def find_parsers(programs: Iterable[str]) -> dict[str, Parser]:
    """Return the parsers that know one of these programs, by name."""
    names = set(programs)
    return {name: parser for name, parser in PARSERS.items() if names.intersection(parser.PROGRAMS)}
