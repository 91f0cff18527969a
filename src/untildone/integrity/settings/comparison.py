"""Lint, type, test and coverage configuration of two trees, compared key by key."""

import re
from collections.abc import Iterator

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison, hash_values
from untildone.integrity.settings import parsing, transfers
from untildone.integrity.settings.cargo import needs_run_to_decide
from untildone.integrity.settings.harmless_files import is_harmless_file, is_manifest_of_new_package
from untildone.integrity.settings.inactive_settings import (
    is_of_inactive_rules,
    is_of_unused_tool,
)
from untildone.integrity.settings.loosening import find_loosening_test
from untildone.integrity.settings.referenced_files import resolve_beside
from untildone.integrity.settings.setting_change import SettingChange, SettingsFile
from untildone.worktree.contents import Tree

# A new file of theirs hides the settings above it, unless it extends them.
_REPLACING = ("ruff", "pytest", "mypy", "coverage", "biome", "eslint", "jest")
_LOCK_FILE = re.compile(r"(.*[-.])?lock(\.(json|ya?ml))?|go\.sum|npm-shrinkwrap\.json|.*\.lockb")
# Names that a package gives to its own files: nothing could use them before they were there.
_PACKAGE_MAPS = ("imports", "exports", "bin")
# A dependency that the agent could have written itself.
_LOCAL_DEPENDENCY = re.compile(r"(file|link|portal|patch|git\S*|https?|workspace):|\.{0,2}/")
_MAX_EXTENDS = 5
# Lists of old findings that a linter forgives: they may only get shorter.
_FORGIVEN_FINDINGS = re.compile(
    r"(.*/)?[^/]*(baseline|eslint-suppressions|rubocop_todo|betterer\.results|\.secrets)[^/]*"
    r"(\.(json|xml|ya?ml|neon|txt|toml|results|baseline))?|(.*/)?\.basedpyright/.*"
)
_SOURCE = re.compile(r".*\.(py|[cm]?[jt]sx?|go|rs|java|kt|md|rst|sh)")


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
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
    if not _FORGIVEN_FINDINGS.fullmatch(path) or _SOURCE.fullmatch(path):
        return False
    is_changed = path in (*comparison.changes.edited, *comparison.changes.added)
    if not is_changed or comparison.role(path) == "test":
        return False
    return bool(
        _read_findings(comparison.new.text(path)) - _read_findings(comparison.old.text(path))
    )


def _read_findings(text: str) -> set[str]:
    """Return the findings without their line numbers, which move with every edit."""
    return {
        re.sub(r":\d+(:\d+)?:|\bline=\"\d+\"", ":", line).strip().rstrip(",")
        for line in text.splitlines()
    }


def is_harmless_edit(comparison: Comparison, path: str, *, but_for: str = "\0") -> bool:
    """Whether every changed key of the file is known, and none is loosened.

    Keys that begin with `but_for` are left out.
    """
    if _LOCK_FILE.fullmatch(path.rpartition("/")[2]) or is_manifest_of_new_package(
        comparison, path
    ):
        return True
    old, new = _find_old_settings(comparison, path), _read_extended(comparison.new, path)
    if not old and not new:
        return False
    elsewhere = _find_moved_settings(comparison, path)
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key, elsewhere.get(key))]
    known = all(_is_known(key, old, new) for key in changed if not key.startswith(but_for))
    return known and not any(_find_file_concerns(comparison, path))


def _is_known(key: str, old: parsing.Settings, new: parsing.Settings) -> bool:
    section = key.partition(".")[0]
    if section in _PACKAGE_MAPS and not any(name.partition(".")[0] == section for name in old):
        return True
    if any(_LOCAL_DEPENDENCY.match(str(value)) for value in new.get(key, ())):
        return False
    if key.startswith("scripts."):
        # npm runs `pretest` with every `test`.
        return key not in old and not re.match(r"scripts\.(pre|post)", key)
    return find_loosening_test(key) is not None and not needs_run_to_decide(key, old, new)


def _find_loosened_settings(comparison: Comparison, path: str) -> Iterator[Concern]:
    old, new = _find_old_settings(comparison, path), _read_extended(comparison.new, path)
    elsewhere = _find_moved_settings(comparison, path)
    file = SettingsFile(
        folder=_find_folder(path),
        old_paths=tuple(comparison.old),
        new_paths=tuple(comparison.new),
        old_settings=old,
        new_settings={**elsewhere, **new},
    )
    for key in {**old, **new}:
        change = SettingChange(key, old.get(key), new.get(key, elsewhere.get(key)), file)
        if _is_loosened(change) and not _is_idle(comparison, path, change):
            effect = f"was {_quote(change.old)} and is {_quote(change.new)}: less is checked"
            reason = f"`{key}` in `{path}` {effect}"
            content = hash_values(change.new)
            yield make_concern(ConcernKind.CONFIG, path, key, reason=reason, content=content)


def _is_loosened(change: SettingChange) -> bool:
    test = find_loosening_test(change.key) if change.old != change.new else None
    return test is not None and test(change)


def _is_idle(comparison: Comparison, path: str, change: SettingChange) -> bool:
    """Whether the setting changes nothing that a check does."""
    return (
        transfers.is_abandoned_tox(comparison, change.key, change.file.new_settings)
        or is_of_unused_tool(comparison, path, change.key)
        or is_of_inactive_rules(comparison, change.key, change.new or ())
    )


def _read_extended(tree: Tree, path: str, depth: int = 0) -> parsing.Settings:
    """Return the settings with those of the files in the tree that they extend."""
    settings = parsing.read_settings(tree, path) if path in tree else {}
    for name in settings.get("tsconfig.extends", ()) if depth < _MAX_EXTENDS else ():
        extended = resolve_beside(path, str(name)).removesuffix(".json") + ".json"
        settings = {**_read_extended(tree, extended, depth + 1), **settings}
    return settings


def _find_old_settings(comparison: Comparison, path: str) -> parsing.Settings:
    """Return what the baseline has: for a new file, the settings of the files above it."""
    new = _read_extended(comparison.new, path)
    others = sorted(_find_configurations_above(comparison.old, path), key=len, reverse=True)
    given_up = transfers.find_given_up_settings(comparison, path, others)
    found = {key: values for key, values in given_up.items() if key in new}
    if path in comparison.old:
        return {**found, **_read_extended(comparison.old, path)}
    tools = set(map(parsing.find_tool, new)) or {
        path.rpartition("/")[2].strip(".").partition(".")[0]
    }
    extends = any(re.fullmatch(r"\w+\.extends?", key) for key in new)
    replaced = [tool for tool in tools if tool in _REPLACING and not extends]
    for other in others:
        found.update(parsing.read_settings(comparison.old, other))
    return {
        key: values
        for key, values in found.items()
        if key in new or parsing.find_tool(key) in replaced
    }


def _find_configurations_above(tree: Tree, path: str) -> Iterator[str]:
    """Yield the configurations in the same folder or above it."""
    folder = _find_folder(path)
    for other in parsing.list_configurations(tree):
        above = _find_folder(other)
        if not above or folder == above or folder.startswith(f"{above}/"):
            yield other


def _find_moved_settings(comparison: Comparison, path: str) -> parsing.Settings:
    """Return the settings that are new in other files at the same place or above it."""
    found: parsing.Settings = {}
    for other in _find_configurations_above(comparison.new, path):
        if other != path and transfers.is_changed_file(comparison, other):
            old, new = (
                parsing.read_settings(tree, other) for tree in (comparison.old, comparison.new)
            )
            found.update({key: values for key, values in new.items() if key not in old})
    return {**transfers.translate_to_flake8(comparison, found), **found}


def _find_folder(path: str) -> str:
    return path.rpartition("/")[0]


def _quote(values: parsing.Values | None) -> str:
    return "not set" if values is None else f"`{', '.join(map(str, values))[:120]}`"
