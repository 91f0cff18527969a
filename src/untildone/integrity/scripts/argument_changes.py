"""A tool's arguments in two trees: whether it checks less, or forgives more."""

import re
from collections.abc import Sequence

from untildone.commands.arguments import Arguments, parse_arguments
from untildone.words import words

# Options that choose what is checked, or what is no failure.
_LOOSENING = re.compile(
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
_CONFIGURATION_OPTION = re.compile(
    r"--(?:config|config-file|rcfile|tsconfig|project|cov-config|baseline\S*)|-c|-p|-f"
)
_SWITCH = re.compile(r"--(pass\S+|allow\S+|update|bail|coverage\S*|strict\S*|check-coverage)")
# Files that the tool reads without the option.
_DEFAULT_FILE = re.compile(r"(\./)?((jest|vitest|eslint)\.config\.[cm]?[jt]s|tsconfig\.json)")
_STRICT = re.compile(
    r"""
      -W|-Werror\S*|-race|-D|-F|-d|-Wall|-Wextra|-pedantic
    | --(?:cov|cov-fail-under|fail-under|cov-branch|branch|strict\S*|max-warnings|error-on\S*
      |all|all-\S+|workspace|tests|coverage\S*|check|check-\S+|deny\S*|warn-\S+|disallow-\S+|select|extend-select|ci
      |no-implicit\S*|noImplicit\S*|noUnused\S*|doctest-\S+|no-verify-\S+|locked|frozen\S*|failOn\S*|include
      |report-unused\S*|pedantic|fail-on\S*|max-complexity|timeout)
    """,
    re.VERBOSE,
)
# Options that loosen one tool and are harmless for another.
_HARMLESS = {
    "pytest": re.compile(r"-[tgi]|--(retry|bail|update|timeout|new\S*|n)"),
    "go": re.compile(r"-[pimnt]|--list"),
    "cargo": re.compile(r"-[pimntk]|--(select|bail)"),
    "make": re.compile(r"-[kmgptiC]"),
    "mypy": re.compile(r"-[p]|--install-types"),
    "tsc": re.compile(r"-[pti]"),
    "vitest": re.compile(r"-[pkmi]|--bail"),
    "jest": re.compile(r"-[pkm]|--bail"),
    "node": re.compile(r"-[pkmi]"),
    "eslint": re.compile(r"-[kmgtpi]"),
    "ruff": re.compile(r"-[kmgtpi]"),
}
_HARMLESS_PAIRS = frozenset(
    (("-p", "no:cacheprovider"), ("-p", "no:randomly"), ("-p", "xdist"), ("-W", "error"))
)
_LOWER_IS_LOOSER = re.compile(r"--(cov-)?fail-under|--coverage\.thresholds\.\S+|--threshold")
_HIGHER_IS_LOOSER = re.compile(r"--max-\S+|--\w*[tT]imeout|--line-length|--retr\w+|--reruns")
_EVERYTHING = words(". ./ ./... ... * **/*")
_NUMBER = re.compile(r"\d+(\.\d+)?")


def find_narrowing_word(program: str, before: Sequence[str], now: Sequence[str]) -> str:
    """Return the word by which the tool checks less; empty if it checks as much."""
    old, new = parse_arguments(program, before), parse_arguments(program, now)
    return find_loosening_option(program, old, new) or _find_dropped_target(
        old.targets, new.targets
    )


def find_loosening_option(program: str, old: Arguments, new: Arguments) -> str:
    """Return the option by which the tool checks less or forgives more."""
    for option in new.options:
        if option not in old.options and _loosens(program, option, dict(old.options)):
            return " ".join(option).strip()
    kept = dict(new.options)
    for name, value in old.options:
        if _STRICT.fullmatch(name) and name not in kept:
            return f"{name} {value}".strip()
    return ""


def _loosens(program: str, option: tuple[str, str], old: dict[str, str]) -> bool:
    name, value = option
    before = old.get(name)
    configures = _CONFIGURATION_OPTION.fullmatch(name) is not None
    if _NUMBER.fullmatch(value) and (before is None or _NUMBER.fullmatch(before)):
        return _number_loosens(name, float(value), before)
    if value == "false" and _SWITCH.fullmatch(name):
        return _STRICT.fullmatch(name) is not None
    if configures and _DEFAULT_FILE.fullmatch(value) and before in (None, ".", "./"):
        return False
    harmless = _HARMLESS.get(program)
    if option in _HARMLESS_PAIRS or (harmless and harmless.fullmatch(name)):
        return configures and before is not None
    return configures or _LOOSENING.fullmatch(name) is not None


def _number_loosens(name: str, value: float, before: str | None) -> bool:
    if _LOWER_IS_LOOSER.fullmatch(name):
        return before is not None and value < float(before)
    if _HIGHER_IS_LOOSER.fullmatch(name):
        return value > float(before or 0)
    return bool(_LOOSENING.fullmatch(name)) and name not in ("-n", "-p")


def _find_dropped_target(old: tuple[str, ...], new: tuple[str, ...]) -> str:
    """Without targets a tool checks everything."""
    if not new or _EVERYTHING.intersection(new) or (set(old) <= set(new) and old):
        return ""
    if not old:
        return new[0]
    folders = tuple(f"{target.rstrip('/*')}/" for target in new)
    dropped = (target for target in old if target not in new and not target.startswith(folders))
    return next(dropped, "")
