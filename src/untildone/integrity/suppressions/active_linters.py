"""Which tools and rules the checks run: a suppression of any other silences nothing.

`# noqa` silences nothing where the checks only run pytest, nor `eslint-disable no-console` where
the settings of ESLint do not name `no-console`.
"""

import re
from collections.abc import Iterator

from untildone.commands.deciding_calls import find_deciding_calls
from untildone.commands.invoked_scripts import find_run_scripts
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.eslint import uses_presets
from untildone.integrity.settings.parsing import Settings, list_configurations, read_settings
from untildone.words import words

# They read no suppressions; only those in TypeScript files reach the compiler that some run.
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
# Lints of clippy that are off until they or their group are named.
_OFF_BY_DEFAULT = words("""
    unwrap_used expect_used panic indexing_slicing dbg_macro print_stdout print_stderr todo
    unimplemented unreachable arithmetic_side_effects missing_docs_in_private_items float_arithmetic
    integer_division use_debug as_conversions string_slice unwrap_in_result exit get_unwrap
""")
# Files that can name a lint of clippy.
_MAY_NAME_LINTS = re.compile(r".*\.(rs|toml|sh|ya?ml|mk|json)|(.*/)?([Mm]akefile|[Jj]ustfile)")


def runs_linter(comparison: Comparison) -> bool:
    """Say whether a check runs a tool that reads suppressions; True if the tools are unknown."""
    calls = [
        call
        for command in comparison.commands
        for call in find_deciding_calls(comparison.new, command)
    ]
    runs_others = not calls or any(call[0] not in _TEST_RUNNERS for call in calls)
    return runs_others or _is_configured(comparison, _LINTER)


def measures_coverage(comparison: Comparison) -> bool:
    """Say whether a check measures the coverage of tests."""
    return _is_configured(comparison, _COVERAGE)


def _is_configured(comparison: Comparison, option: re.Pattern[str]) -> bool:
    """Say whether the option is on a command line, in a script or in the settings."""
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


def is_inactive(comparison: Comparison, reach: str, rule: str) -> bool:
    """Say whether the rule that a suppression names is certainly off.

    `reach` is that of a comment with its marker, as `line eslint-disable`, or `code`.
    """
    if rule.startswith("clippy::"):
        return _is_unnamed_lint(comparison, rule.removeprefix("clippy::"))
    # `eslint-disable` without a rule silences all rules.
    names_rule = reach.endswith("eslint-disable") and rule != "eslint-disable"
    return names_rule and _is_unset_rule(comparison, rule)


def _is_unnamed_lint(comparison: Comparison, lint: str) -> bool:
    """Say whether the lint of clippy is off by default and nothing in the baseline names it."""
    if lint not in _OFF_BY_DEFAULT:
        return False
    lint_or_group = re.compile(rf"\b({re.escape(lint)}|restriction)\b|clippy::all\b")
    paths = (path for path in comparison.old if _MAY_NAME_LINTS.fullmatch(path))
    texts = (*comparison.commands, *map(comparison.old.text, paths))
    return not any(map(lint_or_group.search, texts))


def _is_unset_rule(comparison: Comparison, rule: str) -> bool:
    """Say whether no settings of ESLint name the rule; False where some cannot be seen."""
    eslint_settings = list(_read_eslint_settings(comparison))
    if not eslint_settings or any("--rule" in command for command in comparison.commands):
        return False
    keys = {key for settings in eslint_settings for key in settings}
    if any(map(uses_presets, eslint_settings)) or any(key.endswith(".rules") for key in keys):
        # `rules: preset.rules`: the preset is not in the settings file.
        return False
    # Files that the settings import may name it.
    is_imported = any(rule in comparison.old.text(path) for path in comparison.settings_files)
    return not is_imported and not any(key.endswith(f"rules.{rule}") for key in keys)


def _read_eslint_settings(comparison: Comparison) -> Iterator[Settings]:
    for path in list_configurations(comparison.old):
        found = read_settings(comparison.old, path)
        if any(key.partition(".")[0] == "eslint" for key in found):
            yield found
