"""The built-in templates, and the functions with which some of them find their checks.

A template is a named loop, such as `coverage-to 80`: `builtin.toml` has its texts and bounds and
names one of `FINDERS`, which returns the checks of a project for the argument (here `80`).
"""

import math
import re
import sys
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from untildone.checks.coverage import require_coverage
from untildone.checks.detection.project_files import read_text
from untildone.checks.repeat import repeat_check
from untildone.commands.programs import find_programs
from untildone.config.schema import Template
from untildone.core.contract import Check
from untildone.engine.context import Context
from untildone.engine.project_checks import choose_checks, list_checks
from untildone.engine.request import DEFAULT_TASKS
from untildone.errors import UserError
from untildone.features.counts.selection import is_named_test
from untildone.process.command import quote_argument
from untildone.syntax.languages import language_of
from untildone.worktree.listing import list_files
from untildone.worktree.roles import classify_file

# Returns the checks of a project for a template's argument.
Finder: TypeAlias = Callable[[Context, Path, str], tuple[Check, ...]]
_TYPE_CHECKERS = frozenset({"mypy", "pyright", "basedpyright", "ty", "pyrefly", "tsc", "vue-tsc"})
_MAX_RUNS = 100
# Files in a folder of tests that hold none.
_NO_TESTS = frozenset(("__init__.py", "conftest.py"))
_RUST_TEST = re.compile(r"#\[(?:\w+::)?test\b")
# The `argument` of a template that needs the name of a file in the project.
FILE = "FILE"


class Recipe(Template, frozen=True, kw_only=True):
    """A template that may take an argument."""

    # What the argument is, such as `N` or `FILE`; empty if the template takes none.
    argument: str = ""
    # The argument if the user gives none; if it is empty, the user must give one.
    default_argument: str = ""
    # An example of an argument, for messages.
    sample_argument: str = ""
    # A key of `FINDERS`; without it the preset or the project decides which checks run.
    finder: str = ""


@cache
def load_built_in() -> dict[str, Recipe]:
    """Return the built-in templates by name, each with a task."""
    # Imported where it is used: a stop never reads TOML.
    import tomllib

    data = files(__package__).joinpath("builtin.toml").read_text(encoding="utf-8")
    recipes = msgspec.convert(tomllib.loads(data), dict[str, Recipe])
    return {
        name: replace(recipe, task=recipe.task or DEFAULT_TASKS[recipe.preset or "ship"])
        for name, recipe in recipes.items()
    }


def _find_type_checks(context: Context, project: Path, _: str) -> tuple[Check, ...]:
    """Return the type checkers, and the tests, which show that behaviour is unchanged."""
    checks = list_checks(context, project)[0]
    type_checks = [
        check
        for check in checks
        if _TYPE_CHECKERS.intersection(find_programs(check.command)) or "typecheck" in check.name
    ]
    if not type_checks:
        raise UserError(
            f"no type checker was found in `{project}`",
            hint='name it: `untildone start --template migrate-types --check "mypy --strict src"`',
        )
    tests = [check for check in checks if check not in type_checks and is_named_test(check)]
    if not _has_tests(project):
        # A found runner without a test is never green: only the user's own test checks stay.
        tests = [check for check in tests if not check.detected]
    return (*type_checks, *tests)


def _has_tests(project: Path) -> bool:
    """Say whether a file of the project holds tests, by its name; of Rust, by its text."""
    paths = [path for path in list_files(project) if language_of(path.name)]
    return any(_is_test(project, path) for path in paths)


def _is_test(project: Path, path: Path) -> bool:
    if path.suffix == ".rs" and _RUST_TEST.search(read_text(project / path) or ""):
        return True
    return classify_file(path.as_posix()) == "test" and path.name not in _NO_TESTS


def _find_any_checks(context: Context, project: Path, _: str) -> tuple[Check, ...]:
    """Return all checks; there may be none, as a specification may be a project's first file."""
    return list_checks(context, project)[0]


def _find_coverage_checks(context: Context, project: Path, percent: str) -> tuple[Check, ...]:
    """Return the tests, each of which fails below this coverage."""
    required = _parse_number(percent, maximum=100)
    tests = choose_checks(context, project, "test")
    return tuple(require_coverage(check, required, project=project) for check in tests)


def _find_repeated_checks(context: Context, project: Path, times: str) -> tuple[Check, ...]:
    """Return the tests, each run so many times, to find flaky ones."""
    runs = _parse_number(times, maximum=_MAX_RUNS)
    return tuple(repeat_check(check, runs) for check in choose_checks(context, project, "test"))


def _build_plan_checks(_context: Context, _project: Path, file: str) -> tuple[Check, ...]:
    """Return two checks of the plan in this file: that it is valid, and that no task is large."""
    command = (sys.executable, "-I", "-m", "untildone", "plan")
    return tuple(
        Check(name=verb, command=" ".join(map(quote_argument, (*command, verb, "--plan", file))))
        for verb in ("validate", "refine")
    )


def _parse_number(text: str, *, maximum: int) -> int:
    """Return the whole number from 1 to `maximum`; raises UserError for other text."""
    number = int(text) if text.isascii() and text.isdecimal() else math.inf
    if not 1 <= number <= maximum:
        raise UserError(f"`{text}` is not a number from 1 to {maximum}", hint="give a whole number")
    return int(number)


FINDERS: dict[str, Finder] = {
    "type checkers": _find_type_checks,
    "any": _find_any_checks,
    "coverage": _find_coverage_checks,
    "repeated tests": _find_repeated_checks,
    "plan": _build_plan_checks,
}
