"""Chooses what a loop counts (errors, warnings, security findings, failing tests).

A count is a criterion such as `zero-warnings`: the loop ends when the checks report none. A count
that no check measures is refused. Targets are the paths to which the counts are limited.
"""

from collections.abc import Container, Sequence
from pathlib import Path
from typing import cast, get_args

from untildone.checks import security
from untildone.checks.parsers import PROGRAMS
from untildone.commands.programs import PACKAGE_MANAGERS, find_programs
from untildone.commands.shell import SHELLS
from untildone.core.contract import Check, Count
from untildone.core.counts import DECIDING_PRESET
from untildone.engine.request import Request
from untildone.errors import UserError

# Parsers of the output of programs that run tests.
_TEST_PARSERS = (
    *("pytest", "unittest", "jest", "vitest", "node", "mocha", "cargo", "go", "maven", "gradle"),
    *("junit", "tap"),
)
# Programs that run others: what they print depends on the project, so they may measure any count.
_RUNNERS = PACKAGE_MANAGERS | SHELLS | {"make", "just", "task", "deno", "tox", "nox"}
_REMEDIES: dict[Count, str] = {
    "zero-errors": 'name a check that tells errors: `--check "ruff check ."`',
    "zero-warnings": 'name a check that tells warnings: `--check "npx eslint ."`',
    "zero-security": "`--zero-security` brings its check along: leave out `--check`",
    "tests-pass": 'name the tests: `--check "pytest"`',
}


def choose_counts(request: Request, checks: Sequence[Check]) -> tuple[Count, ...]:
    """Return the counts that the request asks for or implies.

    Raises UserError for a count that no check measures: it would always be zero.
    """
    # In that preset the counts, not the exit statuses, decide whether the checks are met.
    counts_decide = request.preset == DECIDING_PRESET
    if not request.zero_errors and not request.counts:
        raise UserError(
            "without errors nothing is left to count",
            hint="add `--zero-warnings`, `--zero-security` or `--tests-pass`",
        )
    for count in request.counts:
        if not any(_can_measure(count, check) for check in checks):
            raise UserError(f"no check measures `--{count}`", hint=_REMEDIES[count])
    errors: tuple[Count, ...] = ("zero-errors",) if counts_decide and request.zero_errors else ()
    # A check named by the user must pass, including the tests it runs.
    includes_tests = counts_decide and _runs_tests(request.checks)
    tests: tuple[Count, ...] = ("tests-pass",) if includes_tests else ()
    return tuple(dict.fromkeys((*errors, *request.counts, *tests)))


def _runs_tests(checks: Sequence[Check]) -> bool:
    """Say whether one of the checks runs a known test program."""
    programs = {name for parser in _TEST_PARSERS for name in PROGRAMS[parser]}
    return any(programs.intersection(find_programs(check.command)) for check in checks)


def _can_measure(count: Count, check: Check) -> bool:
    """Say whether the check's output may contain what is counted."""
    if count == "zero-security":
        return check.name.startswith(security.NAME)
    if check.parser or check.pattern or _RUNNERS.intersection(find_programs(check.command)):
        return True
    if count == "tests-pass":
        return _runs_tests((check,)) or is_named_test(check)
    programs = {name for names in PROGRAMS.values() for name in names}
    return bool(programs.intersection(find_programs(check.command)))


def is_named_test(check: Check) -> bool:
    """Say whether the check is named `test`, or `test:pytest` where several programs run tests."""
    return "test" in check.name.split(":")


def select_counts(options: Container[str]) -> tuple[Count, ...]:
    """Return the counts whose options are among these: `zero_warnings` gives `zero-warnings`."""
    return tuple(cast(Count, name) for name in get_args(Count) if name.replace("-", "_") in options)


def resolve_targets(project: Path, targets: Sequence[str]) -> tuple[str, ...]:
    """Return the targets relative to the project with forward slashes, like paths of findings.

    Raises UserError for one that does not exist or is not in the project.
    """
    root = project.resolve()
    resolved: dict[str, None] = {}
    for text in targets:
        # A prompt may mention a file as `@src/app.py`.
        path = (root / text.removeprefix("@")).resolve()
        if not path.exists():
            raise UserError(f"the target `{text}` does not exist", hint="name a file or a folder")
        if not path.is_relative_to(root) or path == root:
            raise UserError(
                f"the target `{text}` is not in `{project}`", hint="name a file or folder below it"
            )
        resolved[path.relative_to(root).as_posix()] = None
    return tuple(resolved)
