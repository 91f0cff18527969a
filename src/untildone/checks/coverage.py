"""Makes a test check measure coverage, so that it is red below a percentage of lines."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from untildone.checks.detection.manifest import get_table, read_json
from untildone.commands.programs import find_programs
from untildone.core.contract import Check
from untildone.errors import UserError
from untildone.process import quoted

_SHELL_CHARACTERS = frozenset(";&|<>`$()\n")


def _pytest(command: str, percent: int) -> str:
    return f"{command} --cov --cov-report=term-missing:skip-covered --cov-fail-under={percent}"


def _jest(_: str, percent: int) -> str:
    limit = f'{{"global":{{"lines":{percent}}}}}'
    word = '"' + limit.replace('"', '\\"') + '"' if os.name == "nt" else f"'{limit}'"
    return f"npx --no-install jest --coverage --coverageThreshold={word}"


def _vitest(_: str, percent: int) -> str:
    return f"npx --no-install vitest run --coverage --coverage.thresholds.lines={percent}"


def _node(_: str, percent: int) -> str:
    return f"node --test --experimental-test-coverage --test-coverage-lines={percent}"


def _cargo(_: str, percent: int) -> str:
    return f"cargo llvm-cov --fail-under-lines {percent}"


def _go(command: str, percent: int) -> str:
    words = (sys.executable, "-I", "-m", "untildone.checks.go_coverage", str(percent), command)
    return " ".join(map(quoted, words))


# Only tools that exit with an error below the percentage can prove it.
COVERAGE_COMMANDS: dict[str, Callable[[str, int], str]] = {
    "pytest": _pytest,
    "jest": _jest,
    "vitest": _vitest,
    "node": _node,
    "cargo": _cargo,
    "go": _go,
}


def require_coverage(check: Check, percent: int, *, project: Path) -> Check:
    runner = _find_runner(check, project / check.cwd)
    if runner not in COVERAGE_COMMANDS or _SHELL_CHARACTERS.intersection(check.command):
        known = ", ".join(f"`{name}`" for name in COVERAGE_COMMANDS)
        raise UserError(
            f"coverage of `{check.command}` cannot be measured (known: {known})",
            hint='use a command that fails below it: `untildone start --check "YOUR COMMAND"`',
        )
    return replace(
        check,
        name=f"coverage:{check.name}",
        command=COVERAGE_COMMANDS[runner](check.command, percent),
        parser=check.parser or ("go" if runner == "go" else ""),
        reason=f"at least {percent} % of the lines, measured with `{runner}`",
    )


def _find_runner(check: Check, folder: Path) -> str:
    """The test runner of the command; for `npm test` that of the script."""
    named = find_programs(check.command)
    scripts = get_table(read_json(folder / "package.json"), "scripts")
    if {"npm", "pnpm", "yarn", "bun"}.intersection(named):
        named = find_programs(str(scripts.get("test", "")))
    return next((name for name in named if name in COVERAGE_COMMANDS), "")
