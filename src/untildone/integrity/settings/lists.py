"""Settings that are lists: of rules, of paths, of a tool's options."""

import re
import shlex
from collections.abc import Iterable
from posixpath import normpath

from untildone.integrity.scripts.argument_changes import find_loosening_argument
from untildone.integrity.settings.parsing import Values
from untildone.integrity.settings.path_patterns import match_patterns
from untildone.integrity.settings.setting_change import SettingChange, SettingsFile
from untildone.worktree.roles import classify_file

_ALL = frozenset(("ALL", "*", "all"))
# The rules of a linter without settings.
_DEFAULT_RULES = ("E", "F")
_DEFAULT_RULES_OF_RUFF = ("E4", "E7", "E9", "F")
_FILES_OF_TOOL = (
    (
        re.compile(r"(pytest|ruff|mypy|flake8|pylint|pyright|bandit|vulture)\b"),
        re.compile(r".*\.pyi?"),
    ),
    (re.compile(r"(jest|vitest|eslint|biome)\b"), re.compile(r".*\.([cm]?[jt]sx?|vue|svelte)")),
    (re.compile(r"tsconfig\b"), re.compile(r".*\.([cm]?tsx?|vue|svelte)")),
)
_CODE = re.compile(
    r".*\.(py|pyi|[cm]?[jt]sx?|go|rs|java|kt|c|cc|cpp|h|hpp|cs|rb|php|swift|scala|vue|svelte)"
)
# Lines that no test could run, which projects usually leave out of the coverage.
_NEVER_RUN = re.compile(
    r"TYPE_CHECKING|NotImplementedError|abstractmethod|overload|__main__|pragma: no.?cover"
    r"|assert_never|^[\^\s\\]*\.\\?\.\\?\.|Protocol"
)
# A path within the project.
_IGNORE = re.compile(r"--ignore=((?!/|.*\.\.)[\w./-]+)")


def ignores_more_rules(change: SettingChange) -> bool:
    key, old = change.key, _find_texts(change.old)
    added = [rule for rule in _find_texts(change.new) if not _is_included(rule, old)]
    if "filterwarnings" in key:
        added = [rule for rule in added if rule.startswith(("ignore", "default", "once"))]
    if re.search(r"exclude_(lines|also)$", key):
        added = [rule for rule in added if not _NEVER_RUN.search(rule)]
    if "per-file" in key and _is_for_tests(key.rpartition("ignores.")[2]):
        # `assert` is what tests are made of.
        added = [rule for rule in added if rule != "S101"]
    return bool(added)


def _is_for_tests(pattern: str) -> bool:
    return classify_file(pattern.rstrip("/*") + "/x") == "test"


def selects_fewer_rules(change: SettingChange) -> bool:
    new = _find_texts(change.new)
    if _ALL.intersection(new):
        return False
    old = _find_default_rules(change) if change.old is None else _find_texts(change.old)
    return any(not _is_included(rule, new) for rule in old)


def _find_default_rules(change: SettingChange) -> Iterable[str]:
    """Return the rules that the list replaces, if it is a list of a linter's rules."""
    rules = any(re.fullmatch(r"[A-Z]+\d*", text) for text in _find_texts(change.new))
    if not (rules or change.new == (None,)) or re.search(r"extend[-_]select$", change.key):
        return ()
    return _DEFAULT_RULES_OF_RUFF if change.key.startswith("ruff.") else _DEFAULT_RULES


def collects_fewer_names(change: SettingChange) -> bool:
    """For the patterns of names that pytest collects."""
    if change.new is None:
        return False
    old, new = _find_texts(change.old) or {"test"}, _find_texts(change.new)
    keeps_default = any(name.lower().startswith("test") for name in new)
    return not keeps_default or bool(change.old and not old <= new)


def _find_texts(values: Values | None) -> set[str]:
    return {str(value) for value in values or () if value is not None}


def _is_included(rule: str, rules: Iterable[str]) -> bool:
    """`F401` is within `F`."""
    return any(
        rule == known or (re.fullmatch(r"[A-Z]+\d*", known) and rule.startswith(known))
        for known in rules
    )


def excludes_more_paths(change: SettingChange) -> bool:
    return bool(_find_excluded(change))


def excludes_more_tests(change: SettingChange) -> bool:
    """New tests may be left out, unless a test of the baseline may have moved there."""
    excluded, old = _find_excluded(change), change.file.old_paths
    removed = frozenset(old).difference(change.file.new_paths)
    may_have_moved = any(classify_file(path) == "test" for path in removed)
    return bool(excluded if may_have_moved else excluded.intersection(old))


def excludes_more_product(change: SettingChange) -> bool:
    """Coverage of the tests themselves shows nothing."""
    return any(classify_file(path) != "test" for path in _find_excluded(change))


def _find_excluded(change: SettingChange) -> frozenset[str]:
    old, folder = change.old or (), change.file.folder
    added = [pattern for pattern in change.new or () if pattern not in old]
    excluded = match_patterns(added, _find_checkable(change), folder)
    return excluded - match_patterns(old, excluded, folder)


def covers_fewer_tests(change: SettingChange) -> bool:
    tests = [path for path in _find_checkable(change) if classify_file(path) == "test"]
    return _covers_less(change, tests)


def covers_fewer_paths(change: SettingChange) -> bool:
    return _covers_less(change, _find_checkable(change))


def has_fewer_members(change: SettingChange) -> bool:
    """A project that had no members loses none."""
    return change.old is not None and covers_fewer_paths(change)


def covers_less_product(change: SettingChange) -> bool:
    product = [path for path in _find_checkable(change) if classify_file(path) == "product"]
    return _covers_less(change, product)


def _find_checkable(change: SettingChange) -> list[str]:
    """Return the files that the tool of the setting could check."""
    kinds = (files for tool, files in _FILES_OF_TOOL if tool.match(change.key))
    kind = next(kinds, _CODE)
    return [
        path
        for path in change.file.new_paths
        if kind.fullmatch(path) and classify_file(path) != "config"
    ]


def _covers_less(change: SettingChange, paths: list[str]) -> bool:
    if change.new is None:
        return False
    file, new = change.file, _find_covered(change.new, paths, change.file)
    old = frozenset(paths) if change.old is None else _find_covered(change.old, paths, file)
    if old:
        return bool(old - new)
    if _find_covered(change.old or (), file.old_paths, file):
        # All files moved: the setting has to cover them at their new place.
        return bool(frozenset(paths).difference(file.old_paths) - new)
    # Names of modules match no path.
    return bool(_find_texts(change.old) - _find_texts(change.new))


def _find_covered(values: Values, paths: Iterable[str], file: SettingsFile) -> frozenset[str]:
    known = list(paths)
    patterns = [value for value in values if isinstance(value, str)]
    negated = [value for value in patterns if value.startswith("!")]
    wanted = [value for value in patterns if not value.startswith("!")]
    return match_patterns(wanted, known, file.folder) - match_patterns(negated, known, file.folder)


def has_narrower_options(change: SettingChange) -> bool:
    """For the options of pytest; `--ignore` of a path without tests is harmless."""
    new = [word for word in _split_options(change.new) if not _ignores_nothing(word, change)]
    return bool(find_loosening_argument("pytest", _split_options(change.old), new))


def _ignores_nothing(word: str, change: SettingChange) -> bool:
    ignore = _IGNORE.fullmatch(word)
    if ignore is None:
        return False
    return not excludes_more_tests(change.with_values((), (normpath(ignore[1]),)))


def _split_options(values: Values | None) -> list[str]:
    text = " ".join(str(value) for value in values or () if value is not None)
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
