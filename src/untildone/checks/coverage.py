"""Makes a test check measure coverage, so that it is red below a percentage of lines."""

import os
import sys
from pathlib import Path

from msgspec.structs import replace

from untildone.checks.detection.project_files import get_table, read_json
from untildone.commands.programs import PACKAGE_MANAGERS, find_programs
from untildone.core.contract import Check
from untildone.errors import UserError
from untildone.process.command import quote_argument

_SHELL_CHARACTERS = frozenset(";&|<>`$()\n")
# Only tools that exit with an error below the percentage can prove it.
_COMMANDS = {
    "pytest": "{command} --cov --cov-report=term-missing:skip-covered --cov-fail-under={percent}",
    "jest": "npx --no-install jest --coverage --coverageThreshold={threshold}",
    "vitest": "npx --no-install vitest run --coverage --coverage.thresholds.lines={percent}",
    "node": "node --test --experimental-test-coverage --test-coverage-lines={percent}",
    "cargo": "cargo llvm-cov --fail-under-lines {percent}",
    "go": "{python} -I -m untildone.checks.go_coverage {percent} {argument}",
}


def require_coverage(check: Check, percent: int, *, project: Path) -> Check:
    """Return the check with a command that fails below this percentage of covered lines."""
    runner = _find_runner(check, project / check.cwd)
    if runner not in _COMMANDS or _SHELL_CHARACTERS.intersection(check.command):
        names = ", ".join(f"`{name}`" for name in _COMMANDS)
        raise UserError(
            f"coverage of `{check.command}` cannot be measured (known: {names})",
            hint='use a command that fails below it: `untildone start --check "YOUR COMMAND"`',
        )
    command = _COMMANDS[runner].format(
        command=check.command,
        percent=percent,
        threshold=_make_jest_threshold(percent),
        python=quote_argument(sys.executable),
        argument=quote_argument(check.command),
    )
    return replace(
        check,
        name=f"coverage:{check.name}",
        command=command,
        parser=check.parser or ("go" if runner == "go" else ""),
        reason=f"at least {percent} % of the lines, measured with `{runner}`",
    )


def _make_jest_threshold(percent: int) -> str:
    threshold = f'{{"global":{{"lines":{percent}}}}}'
    escaped = threshold.replace('"', '\\"')
    return f'"{escaped}"' if os.name == "nt" else f"'{threshold}'"


def _find_runner(check: Check, folder: Path) -> str:
    """Return the test runner of the command, for `npm test` that of the script; "" if unknown."""
    programs = find_programs(check.command)
    scripts = get_table(read_json(folder / "package.json"), "scripts")
    if PACKAGE_MANAGERS.intersection(programs):
        programs = find_programs(str(scripts.get("test", "")))
    return next((name for name in programs if name in _COMMANDS), "")
