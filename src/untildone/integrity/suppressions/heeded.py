"""Which comments of the code a check might heed: none does where tests are run and no more."""

import re

from untildone.commands.deciding_calls import find_deciding_calls
from untildone.commands.scripts import find_run_scripts
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.parsing import list_configurations, read_settings

# Runners of tests that read no comment of the code; some compile what is typed.
_DEAF = frozenset(("pytest", "unittest", "node", "vitest", "jest", "mocha"))
# Not `discover`.
_MEASURES = re.compile(r"(?<![a-z])cov|Coverage|\b(c8|nyc)\b")
# pytest --ruff, vitest --typecheck, jest-runner-eslint
_LINTS = re.compile(
    r"--(ruff|mypy|flake8|pylint|pycodestyle|typecheck)\b|eslint|typecheck\.enabled"
)
# pytest's options; the switches of jest and vitest.
_SWITCH = re.compile(r"(.*\.)?(addopts|collectCoverage|runner|(coverage|typecheck)\.enabled)")

# What only those who count the lines that were run take notice of.
OF_COVERAGE = frozenset(("pragma: no cover", "coverage ignore"))


def lints(compared: Comparison) -> bool:
    """True where nobody can tell what is run."""
    calls = [
        call for command in compared.commands for call in find_deciding_calls(compared.new, command)
    ]
    runs_others = not calls or any(call[0] not in _DEAF for call in calls)
    return runs_others or _is_told(compared, _LINTS)


def measures_coverage(compared: Comparison) -> bool:
    return _is_told(compared, _MEASURES)


def _is_told(compared: Comparison, what: re.Pattern[str]) -> bool:
    """On its command line or in the settings."""
    run = (
        text for command in compared.commands for text, _ in find_run_scripts(compared.old, command)
    )
    return any(map(what.search, run)) or any(
        what.search(f"{key}={value}")
        for path in list_configurations(compared.old)
        for key, values in read_settings(compared.old, path).items()
        for value in values
        if _SWITCH.fullmatch(key) and value is not False
    )
