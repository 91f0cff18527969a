"""Whether the checks run anything that reads suppressions: a test runner alone does not."""

import re

from untildone.commands.deciding_calls import find_deciding_calls
from untildone.commands.invoked_scripts import find_run_scripts
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.parsing import list_configurations, read_settings

# Test runners that read no comments; some of them compile typed code.
_TEST_RUNNERS = frozenset(("pytest", "unittest", "node", "vitest", "jest", "mocha"))
# `--cov`, but not `discover`.
_COVERAGE = re.compile(r"(?<![a-z])cov|Coverage|\b(c8|nyc)\b")
# pytest --ruff, vitest --typecheck, jest-runner-eslint
_LINTER = re.compile(
    r"--(ruff|mypy|flake8|pylint|pycodestyle|typecheck)\b|eslint|typecheck\.enabled"
)
# pytest's options; the switches of jest and vitest.
_SWITCH = re.compile(r"(.*\.)?(addopts|collectCoverage|runner|(coverage|typecheck)\.enabled)")

# Suppressions that only a coverage tool reads.
COVERAGE_RULES = frozenset(("pragma: no cover", "coverage ignore"))


def runs_linter(comparison: Comparison) -> bool:
    """Also true where it is unknown what the checks run."""
    calls = [
        call
        for command in comparison.commands
        for call in find_deciding_calls(comparison.new, command)
    ]
    runs_others = not calls or any(call[0] not in _TEST_RUNNERS for call in calls)
    return runs_others or _is_configured(comparison, _LINTER)


def measures_coverage(comparison: Comparison) -> bool:
    return _is_configured(comparison, _COVERAGE)


def _is_configured(comparison: Comparison, option: re.Pattern[str]) -> bool:
    """Look on the command lines and in the settings."""
    scripts = (
        text
        for command in comparison.commands
        for text, _ in find_run_scripts(comparison.old, command)
    )
    return any(map(option.search, scripts)) or any(
        option.search(f"{key}={value}")
        for path in list_configurations(comparison.old)
        for key, values in read_settings(comparison.old, path).items()
        for value in values
        if _SWITCH.fullmatch(key) and value is not False
    )
