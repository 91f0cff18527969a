"""The built-in templates, and how some of them find their checks."""

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

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

Make: TypeAlias = Callable[[Context, Path, str], tuple[Check, ...]]
_TYPE_CHECKERS = frozenset({"mypy", "pyright", "basedpyright", "ty", "pyrefly", "tsc", "vue-tsc"})
_MOST_RUNS = 100
# An argument that names a file of the project.
FILE = "FILE"


class Recipe(Struct, frozen=True, kw_only=True):
    """`argument` names what follows the template's name; it is optional if there is `usual`."""

    template: Template
    argument: str = ""
    usual: str = ""
    # An example of an argument that must be given.
    sample: str = ""
    make: Make | None = None


def _find_type_checks(context: Context, project: Path, _: str) -> tuple[Check, ...]:
    """The type checkers, and the tests, which show that behaviour is unchanged."""
    known = list_checks(context, project)[0]
    typed = [check for check in known if _checks_types(check)]
    if not typed:
        raise UserError(
            f"no type checker was found in `{project}`",
            hint='name it: `untildone start --template migrate-types --check "mypy --strict src"`',
        )
    tests = [check for check in known if check not in typed and "test" in check.name.split(":")]
    return (*typed, *tests)


def _checks_types(check: Check) -> bool:
    return (
        bool(_TYPE_CHECKERS.intersection(find_programs(check.command))) or "typecheck" in check.name
    )


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


BUILT_IN: dict[str, Recipe] = {
    "fix-tests": Recipe(template=Template(preset="test", task=DEFAULT_TASKS["test"])),
    "lint-clean": Recipe(template=Template(preset="lint", task=DEFAULT_TASKS["lint"])),
    "migrate-types": Recipe(
        template=Template(
            task="Give the code types until the type checker finds nothing; say what is known of a"
            " value instead of silencing the checker, and keep what the code does.",
            rounds=20,
        ),
        make=_find_type_checks,
    ),
    "dependency-upgrade": Recipe(
        template=Template(
            preset="ship",
            task="Bring every dependency to the newest version the code can use, one at a time;"
            " read its change log where something breaks and fix our code.",
            criteria=("each dependency is at its newest usable version=execution",),
            rounds=20,
        ),
    ),
    "implement-spec": Recipe(
        template=Template(
            task="Implement what `{argument}` specifies, with tests for each requirement.",
            criteria=("each requirement of {argument} is implemented and tested=execution",),
            rounds=20,
        ),
        argument=FILE,
        sample="SPEC.md",
        make=_find_any_checks,
    ),
    "coverage-to": Recipe(
        template=Template(
            task="Write tests until {argument} % of the lines are covered: each test says what the"
            " code must do and fails if it does not.",
            # A percentage that rises is no finding that goes away.
            stagnation_limit=0,
            rounds=20,
        ),
        argument="N",
        sample="80",
        make=_find_coverage_checks,
    ),
    "refine-plan": Recipe(
        template=Template(
            task="Divide each task of `{argument}` that is over 5 points into smaller ones with"
            " criteria of their own: `untildone plan refine TASK --into FILE`.",
            rounds=3,
        ),
        argument=FILE,
        sample="TASKS.json",
        make=_build_plan_checks,
    ),
    "flaky-hunt": Recipe(
        template=Template(
            task="Find the tests that sometimes fail and fix the cause: order, time, shared state,"
            " ports. {argument} runs in a row must pass.",
            rounds=20,
        ),
        argument="N",
        usual="5",
        make=_find_repeated_checks,
    ),
}
