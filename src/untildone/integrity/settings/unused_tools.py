"""Tools that nothing runs or mentions: their settings change no check."""

import re

from untildone.commands.deciding_calls import find_deciding_calls
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.parsing import find_tool
from untildone.worktree.contents import Tree

# They run no other tool unless a file of the project names it.
_SELF_CONTAINED = frozenset(
    (
        *("pytest", "unittest", "mypy", "ruff", "pyright", "flake8", "pylint", "python", "python3"),
        *("node", "vitest", "jest", "mocha", "eslint", "tsc", "prettier", "biome", "go", "cargo"),
    )
)
_TOOL_OF_FILE = re.compile(
    r"\.?(pytest|mypy|ruff|flake8|pylint|pyright|bandit|playwright|cypress|stryker|vite|jest|mocha"
    r"|golangci|codecov|sonar|biome|oxlint|isort|deny|rustfmt|pre-commit|lefthook)"
)
# In files that hold the settings of several tools.
_TOOL_OF_KEY = re.compile(r"pytest|mypy|ruff|flake8|pylint|pyright|bandit|jest|coverage")
_OTHER_NAMES = {
    "coverage": r"(?<![a-z])cov|coverage|\bc8\b|\bnyc\b|istanbul",
    "rustfmt": "fmt",
}
# They name caches of tools that nobody may use.
_IGNORE_FILE = re.compile(r"(.*/)?\.\w+ignore")


def is_of_unused_tool(comparison: Comparison, path: str, key: str) -> bool:
    found = _TOOL_OF_FILE.match(path.rpartition("/")[2]) or _TOOL_OF_KEY.fullmatch(find_tool(key))
    tool = found[found.lastindex or 0] if found else ""
    return tool != "" and not is_mentioned(comparison, _OTHER_NAMES.get(tool, tool))


def is_mentioned(comparison: Comparison, pattern: str) -> bool:
    """Whether the checks or a file of the baseline mention it; True if the calls are not known."""
    trees, commands = (comparison.old, comparison.new), comparison.commands
    calls = [
        call for tree in trees for each in commands for call in find_deciding_calls(tree, each)
    ]
    if not calls or any(call[0] not in _SELF_CONTAINED for call in calls):
        return True
    words = (*commands, *(word for call in calls for word in call))
    mentions = re.compile(pattern, re.IGNORECASE).search
    return any(map(mentions, words)) or comparison.old.fact(_is_in_files, pattern)


def _is_in_files(tree: Tree, pattern: str) -> bool:
    mentions = re.compile(pattern, re.IGNORECASE).search
    paths = (path for path in tree if not _IGNORE_FILE.fullmatch(path))
    return any(mentions(path) or mentions(tree.text(path)) for path in paths)
