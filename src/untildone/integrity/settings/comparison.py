"""Lint, type, test and coverage configuration of two trees, compared key by key.

`fail_under = 90` that became `fail_under = 50` is reported as "`coverage.report.fail_under` in
`.coveragerc` was `90` and is `50`: less is checked".
"""

import re
from collections.abc import Iterator

from untildone.core.concerns import make_concern
from untildone.core.differing_part import find_differing_part
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison, hash_values
from untildone.integrity.settings import parsing, transfers
from untildone.integrity.settings.cargo import needs_run_to_decide
from untildone.integrity.settings.harmless_files import is_harmless_file, is_manifest_of_new_package
from untildone.integrity.settings.inactive_settings import (
    is_of_inactive_rules,
    is_of_unused_tool,
    name_tool,
)
from untildone.integrity.settings.interpreters import drops_interpreters
from untildone.integrity.settings.loosening import find_loosening_test
from untildone.integrity.settings.referenced_files import resolve_beside
from untildone.integrity.settings.setting_change import SettingChange, SettingsFile
from untildone.worktree.contents import Tree

# Tools that read one file: a new one hides those in folders above, unless it extends them.
_READS_ONE_FILE = ("ruff", "pytest", "mypy", "coverage", "biome", "eslint", "jest")
_LOCK_FILE = compile_late(r"(.*[-.])?lock(\.(json|ya?ml))?|go\.sum|npm-shrinkwrap\.json|.*\.lockb")
# Keys of package.json that name the package's own files. Nothing could use the names before.
_PACKAGE_MAPS = ("imports", "exports", "bin")
# A dependency that the agent could have written itself: `file:../fake-eslint`
_LOCAL_DEPENDENCY = compile_late(r"(file|link|portal|patch|git\S*|https?|workspace):|\.{0,2}/")
_MAX_EXTENDS = 5
# Characters of a value that a message shows as a whole.
_MAX_VALUE = 80
# Lists of old findings that a linter forgives: they may only get shorter.
_FORGIVEN_FINDINGS = compile_late(
    r"(.*/)?[^/]*(baseline|eslint-suppressions|rubocop_todo|betterer\.results|\.secrets)[^/]*"
    r"(\.(json|xml|ya?ml|neon|txt|toml|results|baseline))?|(.*/)?\.basedpyright/.*"
)
# `baseline.py` and `baseline.md` are no such lists.
_NO_LIST = compile_late(r".*\.(py|[cm]?[jt]sx?|go|rs|java|kt|md|rst|sh)")


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield the settings of changed files that make a check see less than in the baseline."""
    changes = comparison.changes
    changed = (*changes.edited, *changes.added, *changes.removed)
    for path in (*changed, *changes.moved, *changes.moved.values()):
        yield from _find_file_concerns(comparison, path)


def _find_file_concerns(comparison: Comparison, path: str) -> Iterator[Concern]:
    if parsing.is_configuration(path) and not is_harmless_file(comparison, path):
        yield from _find_loosened_settings(comparison, path)
    if _forgives_more_findings(comparison, path):
        reason = f"`{path}` forgives findings that it did not forgive in the baseline"
        content = comparison.new.entries[path].digest
        yield make_concern(ConcernKind.CONFIG, path, reason=reason, content=content)


def _forgives_more_findings(comparison: Comparison, path: str) -> bool:
    """Say whether a list of forgiven findings, as `.secrets.baseline`, has new ones."""
    if not _FORGIVEN_FINDINGS.fullmatch(path) or _NO_LIST.fullmatch(path):
        return False
    is_changed = path in (*comparison.changes.edited, *comparison.changes.added)
    if not is_changed or comparison.role(path) == "test":
        return False
    old, new = (_read_findings(tree.text(path)) for tree in (comparison.old, comparison.new))
    return not new <= old


def _read_findings(text: str) -> set[str]:
    """Return the findings without their line numbers, which move with every edit."""
    return {
        re.sub(r":\d+(:\d+)?:|\bline=\"\d+\"", ":", line).strip().rstrip(",")
        for line in text.splitlines()
    }


def is_harmless_edit(comparison: Comparison, path: str, *, but_for: str = "\0") -> bool:
    """Say whether every changed key of the file is known, and none is loosened.

    Unknown keys that begin with `but_for`, as `scripts.`, are left to the caller; no key begins
    with the default.
    """
    if _LOCK_FILE.fullmatch(path.rpartition("/")[2]) or is_manifest_of_new_package(
        comparison, path
    ):
        return True
    old, new = _find_old_settings(comparison, path), _read_extended(comparison.new, path)
    if not old and not new:
        return False
    moved = _find_moved_settings(comparison, path)
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key, moved.get(key))]
    are_known = all(_is_known(key, old, new) for key in changed if not key.startswith(but_for))
    return are_known and not any(_find_file_concerns(comparison, path))


def _is_known(key: str, old: parsing.Settings, new: parsing.Settings) -> bool:
    """Say whether we can tell what a changed key does to the checks.

    `old` and `new` are all settings of the file.
    """
    section = key.partition(".")[0]
    if section in _PACKAGE_MAPS and not any(name.partition(".")[0] == section for name in old):
        return True
    if any(_LOCAL_DEPENDENCY.match(str(value)) for value in new.get(key, ())):
        return False
    if key.startswith("scripts."):
        # No check of the baseline calls a new script, but npm runs `pretest` with every `test`.
        return key not in old and not re.match(r"scripts\.(pre|post)", key)
    return find_loosening_test(key) is not None and not needs_run_to_decide(key, old, new)


def _find_loosened_settings(comparison: Comparison, path: str) -> Iterator[Concern]:
    """Report the keys of a file that are looser than in the baseline."""
    for change in _list_loosened(comparison, path):
        if not _is_without_effect(comparison, path, change):
            reason = f"`{change.key}` in `{path}` {_describe_effect(change)}: less is checked"
            content = hash_values(change.new)
            yield make_concern(ConcernKind.CONFIG, path, change.key, reason=reason, content=content)


def find_unchecked_tools(comparison: Comparison) -> tuple[str, ...]:
    """Return the tools whose settings were loosened although no check runs them."""
    changes = comparison.changes
    tools = {
        name_tool(path, change.key)
        for path in (*changes.edited_or_added, *changes.removed)
        if parsing.is_configuration(path) and not is_harmless_file(comparison, path)
        for change in _list_loosened(comparison, path)
        if is_of_unused_tool(comparison, path, change.key)
    }
    return tuple(sorted(tools))


def _list_loosened(comparison: Comparison, path: str) -> Iterator[SettingChange]:
    """Yield the changes of a file's keys that would loosen a tool that runs."""
    old, new = _find_old_settings(comparison, path), _read_extended(comparison.new, path)
    moved = _find_moved_settings(comparison, path)
    file = SettingsFile(
        folder=_get_folder(path),
        old_paths=tuple(comparison.old),
        new_paths=tuple(comparison.new),
        old_settings=old,
        new_settings={**moved, **new},
    )
    for key in {**old, **new}:
        change = SettingChange(key, old.get(key), new.get(key, moved.get(key)), file)
        loosens = find_loosening_test(key) if change.old != change.new else None
        if loosens and loosens(change):
            yield change


def _is_without_effect(comparison: Comparison, path: str, change: SettingChange) -> bool:
    """Say whether the setting changes nothing that a check does."""
    return (
        transfers.is_abandoned_tox(comparison, change.key, change.file.new_settings)
        or is_of_unused_tool(comparison, path, change.key)
        or drops_interpreters(comparison, change)
        or is_of_inactive_rules(comparison, change.key, change.new or ())
    )


def _read_extended(tree: Tree, path: str, depth: int = 0) -> parsing.Settings:
    """Return the settings of a file with those of a `tsconfig.json` that it extends."""
    settings = parsing.read_settings(tree, path) if path in tree else {}
    for name in settings.get("tsconfig.extends", ()) if depth < _MAX_EXTENDS else ():
        extended = resolve_beside(path, str(name)).removesuffix(".json") + ".json"
        settings = {**_read_extended(tree, extended, depth + 1), **settings}
    return settings


def _find_old_settings(comparison: Comparison, path: str) -> parsing.Settings:
    """Return the baseline's settings of a file, with those that it took over from other files.

    A new file also replaces the settings of its tool that lie in the same folder or above.
    """
    new = _read_extended(comparison.new, path)
    above = _find_configurations_above(comparison.old, path)
    # Later ones override: those of nearer folders, and in one folder those with shorter names, as
    # `ruff.toml` overrides `pyproject.toml`.
    others = sorted(above, key=lambda other: (other.count("/"), -len(other)))
    given_up = transfers.find_given_up_settings(comparison, path, others)
    found = {key: values for key, values in given_up.items() if key in new}
    if path in comparison.old:
        return {**found, **_read_extended(comparison.old, path)}
    # An empty `.ruff.toml` has no keys, but its name tells the tool.
    tool_of_file = path.rpartition("/")[2].strip(".").partition(".")[0]
    tools = set(map(parsing.find_tool, new)) or {tool_of_file}
    extends = any(re.fullmatch(r"\w+\.extends?", key) for key in new)
    replaced = [tool for tool in tools if tool in _READS_ONE_FILE and not extends]
    for other in others:
        found.update(parsing.read_settings(comparison.old, other))
    return {
        key: values
        for key, values in found.items()
        if key in new or parsing.find_tool(key) in replaced
    }


def _find_configurations_above(tree: Tree, path: str) -> Iterator[str]:
    """Yield the configurations in the same folder or above it."""
    for other in parsing.list_configurations(tree):
        folder = _get_folder(other)
        if not folder or path.startswith(f"{folder}/"):
            yield other


def _find_moved_settings(comparison: Comparison, path: str) -> parsing.Settings:
    """Return the settings that are new in other files of the same folder or above it."""
    found: parsing.Settings = {}
    for other in _find_configurations_above(comparison.new, path):
        if other != path and transfers.is_changed_file(comparison, other):
            old, new = (
                parsing.read_settings(tree, other) for tree in (comparison.old, comparison.new)
            )
            found.update({key: values for key, values in new.items() if key not in old})
    return {**transfers.translate_to_flake8(comparison, found), **found}


def _get_folder(path: str) -> str:
    return path.rpartition("/")[0]


def _describe_effect(change: SettingChange) -> str:
    """Return "was `90` and is `50`", of long values the part that differs."""
    old, new = (_format_values(values or ()) for values in (change.old, change.new))
    if max(len(old), len(new)) > _MAX_VALUE and change.old and change.new:
        old, new = (part.strip(" ,") for part in find_differing_part(old, new))
        if not old or not new:
            return f"no longer has `{old}`" if old else f"now has `{new}`"
    was = f"`{old}`" if change.old is not None else "not set"
    return f"was {was} and is {f'`{new}`' if change.new is not None else 'not set'}"


def _format_values(values: parsing.Values) -> str:
    """Return the values in one line; some readers give every number as a float."""
    return ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)
