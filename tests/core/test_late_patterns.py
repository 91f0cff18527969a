"""Patterns that are compiled when they are used."""

import importlib
import pkgutil
import re
import sys

import pytest

import untildone
from untildone.core.late_patterns import compile_late

PACKAGES = ("checks", "commands", "core", "engine", "integrity", "process", "store", "worktree")


def test_a_late_pattern_matches_like_any_other() -> None:
    late = compile_late(r"(?P<word>\w+)!", re.IGNORECASE)
    found = late.search("Hello!")

    assert found is not None
    assert found["word"] == "Hello"
    assert late.flags == re.compile(late.pattern, re.IGNORECASE).flags


def test_a_wrong_pattern_fails_once_it_is_used() -> None:
    late = compile_late("(")

    with pytest.raises(re.error):
        late.search("text")


def test_every_late_pattern_of_the_package_compiles() -> None:
    late = type(compile_late(""))
    for package in PACKAGES:
        for module in pkgutil.walk_packages(
            [f"{untildone.__path__[0]}/{package}"], f"untildone.{package}."
        ):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    modules = [module for name, module in sys.modules.items() if name.startswith("untildone.")]
    patterns = [
        value for module in modules for value in vars(module).values() if type(value) is late
    ]

    assert len(patterns) > 200
    assert all(isinstance(each.pattern, str | bytes) for each in patterns)
