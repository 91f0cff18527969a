"""The parsers by name."""

import pytest

from untildone.checks.parser import Parser
from untildone.checks.parsers import (
    PARSERS,
    PROGRAMS,
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
    maven,
    mocha,
    mypy,
    node,
    prettier,
    pyright,
    ruff,
    sarif,
    shellcheck,
    tap,
    tsc,
    ty,
    vitest,
)
from untildone.checks.parsers import pytest as pytest_parser
from untildone.checks.parsers import unittest as unittest_parser

# By this the type checker sees that each module has what a parser needs.
MODULES: tuple[Parser, ...] = (
    pytest_parser,
    unittest_parser,
    ruff,
    tsc,
    eslint,
    jest,
    vitest,
    node,
    mocha,
    cargo,
    go,
    mypy,
    pyright,
    ty,
    biome,
    prettier,
    cc,
    cmake,
    javac,
    maven,
    gradle,
    shellcheck,
    astgrep,
    sarif,
    junit,
    tap,
)


def test_each_parser_is_found_by_its_name() -> None:
    assert list(PARSERS.values()) == list(MODULES)
    assert len(PARSERS) == len(MODULES)


@pytest.mark.parametrize("name", PARSERS)
def test_the_registry_knows_the_programs_of_each_module(name: str) -> None:
    assert PROGRAMS[name] == tuple(PARSERS[name].PROGRAMS)


def test_there_is_no_other() -> None:
    assert "lines" not in PARSERS
    with pytest.raises(KeyError):
        PARSERS["lines"]
