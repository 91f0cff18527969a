"""Settings that are lists: whether lists of rules, of paths or of options check less.

`loosening.yml` names these functions: `select = ["E", "F"]` that became `["E"]` is loosened because
it `selects_fewer_rules`.
"""

import re
import shlex
from collections.abc import Iterable
from posixpath import normpath

from untildone.core.late_patterns import compile_late
from untildone.integrity.scripts.argument_changes import find_loosening_argument
from untildone.integrity.settings.parsing import Values
from untildone.integrity.settings.path_patterns import match_patterns
from untildone.integrity.settings.setting_change import SettingChange, SettingsFile
from untildone.worktree.roles import classify_file

_ALL = frozenset(("ALL", "*", "all"))
# The rules of a linter without settings.
_DEFAULT_RULES = ("E", "F")
_DEFAULT_RULES_OF_RUFF = ("E4", "E7", "E9", "F")
# The beginning of a tool's keys, and the files that the tool checks.
_FILES_OF_TOOL = (
    (r"(pytest|ruff|mypy|flake8|pylint|pyright|bandit|vulture)\b", r".*\.pyi?"),
    (r"(jest|vitest|eslint|biome)\b", r".*\.([cm]?[jt]sx?|vue|svelte)"),
    (r"tsconfig\b", r".*\.([cm]?tsx?|vue|svelte)"),
)
_CODE = r".*\.(py|pyi|[cm]?[jt]sx?|go|rs|java|kt|c|cc|cpp|h|hpp|cs|rb|php|swift|scala|vue|svelte)"
# Lines that no test could run, which projects usually leave out of the coverage.
_NEVER_RUN = compile_late(
    r"TYPE_CHECKING|NotImplementedError|abstractmethod|overload|__main__|pragma: no.?cover"
    r"|assert_never|^[\^\s\\]*\.\\?\.\\?\.|Protocol"
)
# An option of pytest with a path within the project.
_IGNORE = compile_late(r"--ignore=((?!/|.*\.\.)[\w./-]+)")


def ignores_more_rules(change: SettingChange) -> bool:
    """Say whether a list of ignored rules, warnings or lines got entries that hide findings."""
    key, old = change.key, _find_texts(change.old)
    added = [rule for rule in _find_texts(change.new) if not _is_included(rule, old)]
    if "filterwarnings" in key:
        # `error::UserWarning` is stricter.
        added = [rule for rule in added if rule.startswith(("ignore", "default", "once"))]
    if re.search(r"exclude_(lines|also)$", key):
        added = [rule for rule in added if not _NEVER_RUN.search(rule)]
    # `tests/*` of `ruff.lint.per-file-ignores.tests/*`
    pattern = key.rpartition("ignores.")[2]
    if "per-file" in key and classify_file(pattern.rstrip("/*") + "/x") == "test":
        # S101 forbids `assert`, which tests are made of.
        added = [rule for rule in added if rule != "S101"]
    return bool(added)


def selects_fewer_rules(change: SettingChange) -> bool:
    """Say whether a rule that was selected, or on by default, no longer is."""
    new = _find_texts(change.new)
    if _ALL.intersection(new):
        return False
    old = _find_default_rules(change) if change.old is None else _find_texts(change.old)
    return any(not _is_included(rule, new) for rule in old)


def _find_default_rules(change: SettingChange) -> Iterable[str]:
    """Return the default rules that a new `select` replaces; none for a list of something else."""
    has_rules = any(re.fullmatch(r"[A-Z]+\d*", text) for text in _find_texts(change.new))
    # `select = []`
    is_empty = change.new == (None,)
    if not (has_rules or is_empty) or re.search(r"extend[-_]select$", change.key):
        return ()
    return _DEFAULT_RULES_OF_RUFF if change.key.startswith("ruff.") else _DEFAULT_RULES


def collects_fewer_names(change: SettingChange) -> bool:
    """Say whether `python_files` and the like leave out names that pytest collected.

    By default these are names that begin with `test`.
    """
    if change.new is None:
        return False
    old, new = _find_texts(change.old) or {"test"}, _find_texts(change.new)
    keeps_default = any(name.lower().startswith("test") for name in new)
    return not keeps_default or bool(change.old and not old <= new)


def _find_texts(values: Values | None) -> set[str]:
    return {str(value) for value in values or () if value is not None}


def _is_included(rule: str, rules: Iterable[str]) -> bool:
    """Say whether the rule or a group of it is among the rules: `F` includes `F401`."""
    return any(
        rule == known or (re.fullmatch(r"[A-Z]+\d*", known) and rule.startswith(known))
        for known in rules
    )


def excludes_more_paths(change: SettingChange) -> bool:
    """Say whether a list of excluded patterns matches files that it did not match."""
    return bool(_find_excluded(change))


def excludes_more_tests(change: SettingChange) -> bool:
    """Say whether tests of the baseline are excluded.

    New tests may be, unless a test of the baseline may have moved there.
    """
    excluded, old = _find_excluded(change), change.file.old_paths
    removed = frozenset(old).difference(change.file.new_paths)
    may_have_moved = any(classify_file(path) == "test" for path in removed)
    return bool(excluded if may_have_moved else excluded.intersection(old))


def excludes_more_product(change: SettingChange) -> bool:
    """Say whether product files are excluded: coverage of the tests themselves shows nothing."""
    return any(classify_file(path) != "test" for path in _find_excluded(change))


def _find_excluded(change: SettingChange) -> frozenset[str]:
    """Return the current files that the new patterns exclude and the old ones did not."""
    old, folder = change.old or (), change.file.folder
    added = [pattern for pattern in change.new or () if pattern not in old]
    excluded = match_patterns(added, _find_checkable(change), folder)
    return excluded - match_patterns(old, excluded, folder)


def covers_fewer_tests(change: SettingChange) -> bool:
    """Say whether a list such as `testpaths` leaves out tests that it covered."""
    tests = [path for path in _find_checkable(change) if classify_file(path) == "test"]
    return _covers_less(change, tests)


def covers_fewer_paths(change: SettingChange) -> bool:
    """Say whether a list such as `include` leaves out files that it covered."""
    return _covers_less(change, _find_checkable(change))


def has_fewer_members(change: SettingChange) -> bool:
    """Say whether a workspace lost members; one that had none loses none."""
    return change.old is not None and covers_fewer_paths(change)


def covers_less_product(change: SettingChange) -> bool:
    """Say whether a list such as coverage's `source` leaves out product files that it covered."""
    product = [path for path in _find_checkable(change) if classify_file(path) == "product"]
    return _covers_less(change, product)


def _find_checkable(change: SettingChange) -> list[str]:
    """Return the files that the tool of the setting could check."""
    patterns = (files for keys, files in _FILES_OF_TOOL if re.match(keys, change.key))
    is_checked = re.compile(next(patterns, _CODE)).fullmatch
    paths = filter(is_checked, change.file.new_paths)
    return [path for path in paths if classify_file(path) != "config"]


def _covers_less(change: SettingChange, paths: list[str]) -> bool:
    """Say whether the new values cover fewer of the paths; without old values all are covered."""
    if change.new is None:
        return False
    file, new = change.file, _find_covered(change.new, paths, change.file)
    old = frozenset(paths) if change.old is None else _find_covered(change.old, paths, file)
    if old:
        return bool(old - new)
    if _find_covered(change.old or (), file.old_paths, file):
        # All files moved: the setting has to cover them at their new place.
        return bool(frozenset(paths).difference(file.old_paths) - new)
    # Names of modules, as in `source_pkgs = ["shop"]`, match no path.
    return bool(_find_texts(change.old) - _find_texts(change.new))


def _find_covered(values: Values, paths: Iterable[str], file: SettingsFile) -> frozenset[str]:
    """Return the paths that match the patterns and not those with `!`."""
    known = list(paths)
    patterns = [value for value in values if isinstance(value, str)]
    negated = [value for value in patterns if value.startswith("!")]
    wanted = [value for value in patterns if not value.startswith("!")]
    return match_patterns(wanted, known, file.folder) - match_patterns(negated, known, file.folder)


def has_narrower_options(change: SettingChange) -> bool:
    """Say whether options of pytest check less; `--ignore` of a path without tests does not."""
    new = [word for word in _split_options(change.new) if not _ignores_nothing(word, change)]
    return bool(find_loosening_argument("pytest", _split_options(change.old), new))


def _ignores_nothing(word: str, change: SettingChange) -> bool:
    """Say whether it is `--ignore=docs`, and there are no tests in `docs`."""
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
