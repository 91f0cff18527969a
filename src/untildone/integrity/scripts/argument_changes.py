"""The argument by which a tool checks less, or reports fewer failures, than in the baseline.

Where `pytest tests` became `pytest tests -k fast` it is `-k fast`; where `ruff check src tests`
became `ruff check src` it is the target `tests`, which is no longer checked.
"""

import re
from collections.abc import Sequence

from untildone.commands.arguments import Arguments, parse_arguments
from untildone.core.late_patterns import compile_late
from untildone.words import words

# Options that choose what is checked, or what is no failure. To add one loosens the check.
_LOOSENING_OPTION = compile_late(
    r"""
      -k|-m|-g|-t|-run|-skip|-short|-p|-A|-W|-DskipTests|-Dmaven\.test\.\S+|-i|-n
    | --(?:deselect|ignore|exclude|extend-ignore|extend-exclude|per-file-ignores
      |extend-per-file-ignores
      |ignore-\S+|skip|skip-\S+|filter|grep|fgrep|invert|changed\S*|onlyChanged|onlyFailures|only-\S+
      |no-cov|no-coverage|no-strict\S*|lf|last-failed|sw|stepwise|co|collect-only|list|listTests|no-run
      |passWithNoTests|pass-with-no-tests|test-?[nN]ame-?[pP]attern|test-skip-pattern|test-only
      |testPath\S*|exit-zero\S*|no-fail\S*|ignore-errors|follow-imports|allow-\S+|disable|disable-error-code
      |noCheck|no-check|skipLibCheck|cap-lints|updateSnapshot|update|snapshot-update|force-?[eE]xit
      |test-force-exit|retry|retries|reruns|keep-going|add-noqa|suppress-\S+|max-warnings|if-present
      |no-eslintrc|no-config-lookup|isolated|rule|select|testTimeout|hookTimeout|max-line-length|max-complexity
      |line-length|bail|shard|plugin|dry-run|touch|question|issues-exit-code|new\S*|fix|write-baseline)
    """,
    re.VERBOSE,
)
# Options that make a tool check more. To drop one loosens the check.
_STRICT_OPTION = compile_late(
    r"""
      -W|-Werror\S*|-race|-D|-F|-d|-Wall|-Wextra|-pedantic
    | --(?:cov|cov-fail-under|fail-under|cov-branch|branch|strict\S*|max-warnings|error-on\S*
      |all|all-\S+|workspace|tests|coverage\S*|check|check-\S+|deny\S*|warn-\S+|disallow-\S+|select|extend-select|ci
      |no-implicit\S*|noImplicit\S*|noUnused\S*|doctest-\S+|no-verify-\S+|locked|frozen\S*|failOn\S*|include
      |report-unused\S*|pedantic|fail-on\S*|max-complexity|timeout)
    """,
    re.VERBOSE,
)
_CONFIGURATION_OPTION = compile_late(
    r"--(?:config|config-file|rcfile|tsconfig|project|cov-config|baseline\S*)|-c|-p|-f"
)
# Files that a tool reads also without `--config FILE`.
_DEFAULT_CONFIGURATION = compile_late(
    r"(\./)?((jest|vitest|eslint)\.config\.[cm]?[jt]s|tsconfig\.json)"
)
# Options that `=false` switches off.
_BOOLEAN_OPTION = compile_late(
    r"--(pass\S+|allow\S+|update|bail|coverage\S*|strict\S*|check-coverage)"
)
# Options that loosen one tool and mean something harmless to another, by the other's name.
_HARMLESS_OPTIONS = {
    "pytest": compile_late(r"-[tgi]|--(retry|bail|update|timeout|new\S*|n)"),
    "go": compile_late(r"-[pimnt]|--list"),
    "cargo": compile_late(r"-[pimntk]|--(select|bail)"),
    "make": compile_late(r"-[kmgptiC]"),
    "mypy": compile_late(r"-[p]|--install-types"),
    "tsc": compile_late(r"-[pti]"),
    "vitest": compile_late(r"-[pkmi]|--bail"),
    "jest": compile_late(r"-[pkm]|--bail"),
    "node": compile_late(r"-[pkmi]"),
    "eslint": compile_late(r"-[kmgtpi]"),
    "ruff": compile_late(r"-[kmgtpi]"),
}
# Options with a value that is harmless for every tool.
_HARMLESS_VALUES = frozenset(
    (("-p", "no:cacheprovider"), ("-p", "no:randomly"), ("-p", "xdist"), ("-W", "error"))
)
_LOWER_IS_LOOSER = compile_late(r"--(cov-)?fail-under|--coverage\.thresholds\.\S+|--threshold")
_HIGHER_IS_LOOSER = compile_late(r"--max-\S+|--\w*[tT]imeout|--line-length|--retr\w+|--reruns")
# `pytest -n 4` and `go test -p 4`: with a number they say how many processes run.
_PROCESS_COUNTS = ("-n", "-p")
_EVERYTHING = words(". ./ ./... ... * **/*")
_NUMBER = compile_late(r"\d+(\.\d+)?")


def find_loosening_argument(program: str, old: Sequence[str], new: Sequence[str]) -> str:
    """Return the option or target by which the new arguments check less than the old ones.

    It is empty if they check as much. Arguments are the words behind the program.
    """
    old_arguments, new_arguments = (parse_arguments(program, part) for part in (old, new))
    option = find_loosening_option(program, old_arguments, new_arguments)
    return option or _find_narrowing_target(old_arguments.targets, new_arguments.targets)


def find_loosening_option(program: str, old: Arguments, new: Arguments) -> str:
    """Return the added or dropped option by which the tool checks less; empty if there is none."""
    for option in new.options:
        if option not in old.options and _loosens(program, option, dict(old.options)):
            return " ".join(option).strip()
    new_names = dict(new.options)
    for name, value in old.options:
        if _STRICT_OPTION.fullmatch(name) and name not in new_names:
            return f"{name} {value}".strip()
    return ""


def _loosens(program: str, option: tuple[str, str], old_options: dict[str, str]) -> bool:
    """Say whether an option that is new, or has a new value, makes the tool check less."""
    name, value = option
    old_value = old_options.get(name)
    configures = _CONFIGURATION_OPTION.fullmatch(name) is not None
    if _NUMBER.fullmatch(value) and (old_value is None or _NUMBER.fullmatch(old_value)):
        return _number_loosens(name, float(value), old_value)
    if value == "false" and _BOOLEAN_OPTION.fullmatch(name):
        # `--coverage=false` loosens; `--passWithNoTests=false` does not.
        return _STRICT_OPTION.fullmatch(name) is not None
    if configures and _DEFAULT_CONFIGURATION.fullmatch(value) and old_value in (None, ".", "./"):
        # `jest --config jest.config.js` is what `jest` does.
        return False
    harmless_options = _HARMLESS_OPTIONS.get(program)
    if option in _HARMLESS_VALUES or (harmless_options and harmless_options.fullmatch(name)):
        # `tsc -p .` may be added, but not changed to the settings of `tsc -p loose.json`.
        return configures and old_value is not None
    return configures or _LOOSENING_OPTION.fullmatch(name) is not None


def _number_loosens(name: str, value: float, old_value: str | None) -> bool:
    """Say whether the option with this number checks less than with the old one, or without it."""
    if _LOWER_IS_LOOSER.fullmatch(name):
        return old_value is not None and value < float(old_value)
    if _HIGHER_IS_LOOSER.fullmatch(name):
        return value > float(old_value or 0)
    return bool(_LOOSENING_OPTION.fullmatch(name)) and name not in _PROCESS_COUNTS


def _find_narrowing_target(old: tuple[str, ...], new: tuple[str, ...]) -> str:
    """Return a target that is no longer checked; empty if all of them still are.

    Without targets a tool checks everything: if only the new call has some, the first of them is
    returned.
    """
    covers_old = bool(old) and set(old) <= set(new)
    if not new or _EVERYTHING.intersection(new) or covers_old:
        return ""
    if not old:
        return new[0]
    dropped = (target for target in old if not any(_contains(outer, target) for outer in new))
    return next(dropped, "")


def _contains(outer: str, inner: str) -> bool:
    """Say whether one target is the other or a folder around it, as `tests/**` of `tests/unit`."""
    return inner == outer or inner.startswith(outer.rstrip("/*") + "/")
