"""A tool's arguments before and after: does it look at less, or forgive more?"""

import re
from collections.abc import Sequence
from typing import NamedTuple

_SUBCOMMANDS = frozenset(
    (
        *("cargo", "go", "ruff", "npm", "pnpm", "yarn", "bun", "deno", "biome", "dotnet", "uv"),
        *("coverage", "git", "golangci-lint", "nox", "vitest", "playwright", "swift", "mix", "ng"),
    )
)
_TAKES_VALUE = re.compile(
    r"-[kmpnctorgjCefDWdu]|-run|-skip|-timeout|-count|-coverprofile|--(?!verbose|quiet|strict|no-|silent"
    r"|all|coverage$|ci$|noEmit|check$|offline|release|locked|workspace|test$|passWith|exit|fix|lf|co$"
    r"|cov$|run$|watch|forceExit|updateSnap|show|hide|branch|tests$|doc$|lib$|bins$|list|diff|fail-fast)[\w.-]+"
)
# They choose what is looked at, or what is no failure.
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
_CONFIGURING = re.compile(
    r"--(?:config|config-file|rcfile|tsconfig|project|cov-config|baseline\S*)|-c|-p|-f"
)
_SWITCH = re.compile(r"--(pass\S+|allow\S+|update|bail|coverage\S*|strict\S*|check-coverage)")
# What the tool would read anyway.
_USUAL = re.compile(r"(\./)?((jest|vitest|eslint)\.config\.[cm]?[jt]s|tsconfig\.json)")
_DEMANDING = re.compile(
    r"""
      -W|-Werror\S*|-race|-D|-F|-d|-Wall|-Wextra|-pedantic
    | --(?:cov|cov-fail-under|fail-under|cov-branch|branch|strict\S*|max-warnings|error-on\S*
      |all|all-\S+|workspace|tests|coverage\S*|check|check-\S+|deny\S*|warn-\S+|disallow-\S+|select|extend-select|ci
      |no-implicit\S*|noImplicit\S*|noUnused\S*|doctest-\S+|no-verify-\S+|locked|frozen\S*|failOn\S*|include
      |report-unused\S*|pedantic|fail-on\S*|max-complexity|timeout)
    """,
    re.VERBOSE,
)
# What loosens one tool does nothing bad to another.
_FINE = {
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
_FINE_PAIRS = frozenset(
    (("-p", "no:cacheprovider"), ("-p", "no:randomly"), ("-p", "xdist"), ("-W", "error"))
)
_LOWER_IS_LESS = re.compile(r"--(cov-)?fail-under|--coverage\.thresholds\.\S+|--threshold")
_HIGHER_IS_LESS = re.compile(r"--max-\S+|--\w*[tT]imeout|--line-length|--retr\w+|--reruns")
_EVERYTHING = frozenset((".", "./", "./...", "...", "*", "**/*"))
_NUMBER = re.compile(r"\d+(\.\d+)?")


class Arguments(NamedTuple):
    options: tuple[tuple[str, str], ...]
    targets: tuple[str, ...]


def read(program: str, words: Sequence[str]) -> Arguments:
    options: list[tuple[str, str]] = []
    targets: list[str] = []
    rest = list(words)
    takes = program != "sh"
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-":
            targets.append(word)
        elif equals:
            options.append((name, value))
        elif takes and _TAKES_VALUE.fullmatch(word) and rest and not rest[0].startswith("-"):
            options.append((word, rest.pop(0)))
        else:
            options.append((word, ""))
    return Arguments(tuple(options), tuple(targets[1:] if program in _SUBCOMMANDS else targets))


def narrowed(program: str, before: Sequence[str], now: Sequence[str]) -> str:
    """The word by which less is looked at; empty if it is as much."""
    old, new = read(program, before), read(program, now)
    return loosened(program, old, new) or _fewer(old.targets, new.targets)


def loosened(program: str, old: Arguments, new: Arguments) -> str:
    """The option by which less is looked at or more forgiven."""
    for option in new.options:
        if option not in old.options and _loosens(program, option, dict(old.options)):
            return " ".join(option).strip()
    kept = dict(new.options)
    for name, value in old.options:
        if _DEMANDING.fullmatch(name) and name not in kept:
            return f"{name} {value}".strip()
    return ""


def _loosens(program: str, option: tuple[str, str], old: dict[str, str]) -> bool:
    name, value = option
    before = old.get(name)
    if _NUMBER.fullmatch(value) and (before is None or _NUMBER.fullmatch(before)):
        return _number_loosens(name, float(value), before)
    if value == "false" and _SWITCH.fullmatch(name):
        return _DEMANDING.fullmatch(name) is not None
    if _CONFIGURING.fullmatch(name) and _USUAL.fullmatch(value) and before in (None, ".", "./"):
        return False
    fine = _FINE.get(program)
    if option in _FINE_PAIRS or (fine and fine.fullmatch(name)):
        return bool(_CONFIGURING.fullmatch(name)) and before is not None
    if _CONFIGURING.fullmatch(name) and not _LOOSENING.fullmatch(name):
        return True
    return bool(_LOOSENING.fullmatch(name))


def _number_loosens(name: str, value: float, before: str | None) -> bool:
    if _LOWER_IS_LESS.fullmatch(name):
        return before is not None and value < float(before)
    if _HIGHER_IS_LESS.fullmatch(name):
        return value > float(before or 0)
    return bool(_LOOSENING.fullmatch(name)) and name not in ("-n", "-p")


def _fewer(old: tuple[str, ...], new: tuple[str, ...]) -> str:
    """Without targets a tool looks at everything."""
    if not new or _EVERYTHING.intersection(new) or (set(old) <= set(new) and old):
        return ""
    if not old:
        return new[0]
    return next((each for each in old if not any(_covers(wide, each) for wide in new)), "")


def _covers(wide: str, narrow: str) -> bool:
    return narrow == wide or narrow.startswith(wide.rstrip("/*") + "/")
