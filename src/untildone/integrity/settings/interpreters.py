"""Versions of a language that a project dropped: it requires a higher one than in the baseline.

`env_list = py38, py39` that became `py39` together with `requires-python = ">=3.9"`.
"""

import re
from typing import NamedTuple

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.parsing import list_configurations, read_settings
from untildone.integrity.settings.setting_change import SettingChange
from untildone.worktree.contents import Tree

# The keys by which a project requires a version, by language.
_REQUIRED = {
    "Python": compile_late(r"project\.requires-python|options\.python_requires"),
    "Node": compile_late(r"engines\.node"),
    "Rust": compile_late(r"(workspace\.)?package\.rust-version"),
    "Go": compile_late(r"gomod\.go"),
}
# py38, pypy3.9; of `py{38,39}` the parts `py{38` and 39.
_VERSION = compile_late(r"((py|pypy|python)-?)?\{?\d+(\.\d+)?\}?")


class RaisedVersion(NamedTuple):
    """The lowest version of a language that a project runs with, before and now."""

    language: str
    old: str
    new: str


def drops_interpreters(comparison: Comparison, change: SettingChange) -> bool:
    """Say whether a list of environments lost only versions, and the required version rose."""
    if not change.key.endswith("env_list") or not change.new:
        return False
    lost = {str(value) for value in change.old or ()}.difference(map(str, change.new))
    raised = {each.language for each in find_raised_versions(comparison)}
    return all(map(_VERSION.fullmatch, lost)) and "Python" in raised


def find_raised_versions(comparison: Comparison) -> tuple[RaisedVersion, ...]:
    """Return the languages of which the project requires a higher version than before."""
    found = (
        RaisedVersion(language, *(tree.fact(_read_required, language) for tree in comparison.trees))
        for language in _REQUIRED
    )
    return tuple(each for each in found if _parse(each.old) < _parse(each.new) and each.old)


def _read_required(tree: Tree, language: str) -> str:
    """Return the highest version that any package of the project requires: `3.9` for `>=3.9`."""
    required = (
        str(value)
        for path in list_configurations(tree)
        for key, values in read_settings(tree, path).items()
        if _REQUIRED[language].fullmatch(key)
        for value in values
    )
    versions = (re.search(r"\d+(\.\d+)?", text) for text in required)
    return max((found[0] for found in versions if found), key=_parse, default="")


def _parse(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)
