"""Settings that decide nothing: of tools that no check runs, of rules that are off.

`[mypy] strict = false` where the only check is `pytest`; `ruff.line-length` where `E501` is
not selected.
"""

import re
from collections.abc import Iterable

from untildone.core.late_patterns import compile_late
from untildone.integrity.checked_tools import list_call_texts, runs_tool
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.formats import Scalar
from untildone.integrity.settings.parsing import find_tool, list_configurations, read_settings
from untildone.worktree.contents import Tree

_TOOL_OF_FILE = compile_late(
    r"\.?(pytest|mypy|ruff|flake8|pylint|pyright|bandit|playwright|cypress|stryker|vite|jest|mocha"
    r"|eslint|prettier|stylelint|golangci|codecov|sonar|biome|oxlint|isort|deny|rustfmt|pre-commit"
    r"|lefthook)"
)
# The first part of a key, in files that hold the settings of several tools.
_TOOL_OF_KEY = compile_late(
    r"(pytest|mypy|ruff|flake8|pylint|pyright|bandit|jest|mocha|eslint|prettier|coverage|tox)"
)
# Patterns by which commands mention a tool, if not by its name.
_MENTIONS = {"coverage": r"(?<![a-z])cov|coverage|\bc8\b|\bnyc\b|istanbul", "rustfmt": "fmt"}
# They often name caches of tools that the project does not use.
_IGNORE_FILE = compile_late(r"(.*/)?\.\w+ignore")
# Rules of line length, which no version of ruff enables by default.
_LENGTH_RULES = frozenset(("E501", "W505"))
_SELECTED = compile_late(r"ruff\.lint\.(extend-)?select")
_IGNORED = compile_late(r"ruff\.lint\.(extend-)?ignore")
_SELECT_OPTION = r"--(extend-)?select"
_WARNINGS_AS_ERRORS = r"-W\W{0,4}error|PYTHONWARNINGS|filterwarnings|simplefilter"


def is_of_unused_tool(comparison: Comparison, path: str, key: str) -> bool:
    """Say whether the key belongs to a tool that no check runs."""
    tool = name_tool(path, key)
    return tool != "" and not runs_tool(comparison, _MENTIONS.get(tool, tool))


def name_tool(path: str, key: str) -> str:
    """Return the tool that the key of a settings file belongs to; empty if it is unknown."""
    found = _TOOL_OF_KEY.fullmatch(find_tool(key)) or _TOOL_OF_FILE.match(path.rpartition("/")[2])
    return found[1] if found else ""


def is_mentioned(comparison: Comparison, pattern: str) -> bool:
    """Say whether the pattern is in the calls of the checks or in a baseline file.

    True also if the calls are not known, or one of them may run any other tool.
    """
    texts = list_call_texts(comparison)
    mentions = re.compile(pattern, re.IGNORECASE).search
    return texts is None or any(map(mentions, texts)) or comparison.old.fact(_is_in_files, pattern)


def _is_in_files(tree: Tree, pattern: str) -> bool:
    mentions = re.compile(pattern, re.IGNORECASE).search
    paths = (path for path in tree if not _IGNORE_FILE.fullmatch(path))
    return any(mentions(path) or mentions(tree.text(path)) for path in paths)


def is_of_inactive_rules(comparison: Comparison, key: str, new: Iterable[Scalar]) -> bool:
    """Say whether the key is only about rules that are off; `new` are its new values."""
    if key == "pytest.filterwarnings":
        # To ignore a warning hides nothing where warnings are no errors.
        return not is_mentioned(comparison, _WARNINGS_AS_ERRORS)
    if key == "ruff.line-length":
        rules = _LENGTH_RULES
    elif _IGNORED.fullmatch(key):
        rules = frozenset(map(str, new))
    else:
        return False
    return _is_unselected(comparison, rules) and not is_mentioned(comparison, _SELECT_OPTION)


def _is_unselected(comparison: Comparison, rules: frozenset[str]) -> bool:
    """Say whether no settings of ruff in the baseline select any of the rules."""
    settings = [
        setting
        for path in list_configurations(comparison.old)
        for setting in read_settings(comparison.old, path).items()
    ]
    keys = {key for key, _ in settings}
    selected = [
        str(value) for key, values in settings if _SELECTED.fullmatch(key) for value in values
    ]
    # `E501` is selected by `E5`, and a rule of `E5` by `E501`.
    is_selected = any(
        name == "ALL" or name.startswith(rule) or rule.startswith(name)
        for name in selected
        for rule in rules
    )
    # Without `select` the defaults count, which never have the rules of line length; a file that
    # `extend` names may select any rule.
    is_known = "ruff.lint.select" in keys or rules <= _LENGTH_RULES
    return is_known and not is_selected and "ruff.extend" not in keys
