"""The built-in templates, and how some of them find their checks."""

import math
import sys
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from untildone.checks.coverage import require_coverage
from untildone.checks.repeat import repeat_check
from untildone.commands.programs import find_programs
from untildone.config.schema import Template
from untildone.core.contract import Check
from untildone.engine.context import Context
from untildone.engine.project_checks import choose_checks, list_checks
from untildone.engine.request import DEFAULT_TASKS
from untildone.errors import UserError
from untildone.process.command import quote_argument

# Finds the checks of a project for a template's argument.
Finder: TypeAlias = Callable[[Context, Path, str], tuple[Check, ...]]
_TYPE_CHECKERS = frozenset({"mypy", "pyright", "basedpyright", "ty", "pyrefly", "tsc", "vue-tsc"})
_MOST_RUNS = 100
# An argument that names a file of the project.
FILE = "FILE"


class Recipe(Template, frozen=True, kw_only=True):
    """A template with its argument; `builtin.toml` explains the fields."""

    argument: str = ""
    usual: str = ""
    sample: str = ""
    finder: str = ""


@cache
def load_built_in() -> dict[str, Recipe]:
    # Imported where it is used: a stop never reads TOML.
    import tomllib

    data = files(__package__).joinpath("builtin.toml").read_text(encoding="utf-8")
    recipes = msgspec.convert(tomllib.loads(data), dict[str, Recipe])
    return {
        name: replace(recipe, task=recipe.task or DEFAULT_TASKS[recipe.preset or "ship"])
        for name, recipe in recipes.items()
    }


def _find_type_checks(context: Context, project: Path, _: str) -> tuple[Check, ...]:
    """The type checkers, and the tests, which show that behaviour is unchanged."""
    known = list_checks(context, project)[0]
    typed = [
        check
        for check in known
        if _TYPE_CHECKERS.intersection(find_programs(check.command)) or "typecheck" in check.name
    ]
    if not typed:
        raise UserError(
            f"no type checker was found in `{project}`",
            hint='name it: `untildone start --template migrate-types --check "mypy --strict src"`',
        )
    tests = [check for check in known if check not in typed and "test" in check.name.split(":")]
    return (*typed, *tests)


def _find_any_checks(context: Context, project: Path, _: str) -> tuple[Check, ...]:
    """There may be none: a specification may be the first file of a project."""
    return list_checks(context, project)[0]


def _find_coverage_checks(context: Context, project: Path, percent: str) -> tuple[Check, ...]:
    least = _parse_number(percent, most=100)
    tests = choose_checks(context, project, "test")
    return tuple(require_coverage(check, least, project=project) for check in tests)


def _find_repeated_checks(context: Context, project: Path, times: str) -> tuple[Check, ...]:
    runs = _parse_number(times, most=_MOST_RUNS)
    return tuple(repeat_check(check, runs) for check in choose_checks(context, project, "test"))


def _build_plan_checks(_context: Context, _project: Path, file: str) -> tuple[Check, ...]:
    ours = (sys.executable, "-I", "-m", "untildone", "plan")
    return tuple(
        Check(name=verb, command=" ".join(map(quote_argument, (*ours, verb, "--plan", file))))
        for verb in ("validate", "refine")
    )


def _parse_number(text: str, *, most: int) -> int:
    number = int(text) if text.isascii() and text.isdecimal() else math.inf
    if not 1 <= number <= most:
        raise UserError(f"`{text}` is not a number from 1 to {most}", hint="give a whole number")
    return int(number)


FINDERS: dict[str, Finder] = {
    "type checkers": _find_type_checks,
    "any": _find_any_checks,
    "coverage": _find_coverage_checks,
    "repeated tests": _find_repeated_checks,
    "plan": _build_plan_checks,
}
