"""Tools that nothing at the start runs or speaks of: whatever they are told takes nothing away."""

import re

from untildone.commands.deciding_calls import find_deciding_calls
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.parsing import tool_of

# They run no other tool, but for one that a file of the project names.
_PLAIN = frozenset(
    (
        *("pytest", "unittest", "mypy", "ruff", "pyright", "flake8", "pylint", "python", "python3"),
        *("node", "vitest", "jest", "mocha", "eslint", "tsc", "prettier", "biome", "go", "cargo"),
    )
)
_OF_FILE = re.compile(
    r"\.?(pytest|mypy|ruff|flake8|pylint|pyright|bandit|playwright|cypress|stryker|vite|jest|mocha"
    r"|golangci|codecov|sonar|biome|oxlint|isort|deny|rustfmt|pre-commit|lefthook)"
)
# In files that hold the settings of many.
_OF_KEY = re.compile(r"pytest|mypy|ruff|flake8|pylint|pyright|bandit|jest|coverage")
# Where it goes by other names.
_ALSO = {
    "coverage": r"(?<![a-z])cov|coverage|\bc8\b|\bnyc\b|istanbul",
    "rustfmt": "fmt",
}
# They name caches of tools that nobody may use.
_IGNORING = re.compile(r"(.*/)?\.\w+ignore")


def is_unused(compared: Comparison, path: str, key: str) -> bool:
    """Whether the setting is for such a tool."""
    found = _OF_FILE.match(path.rpartition("/")[2]) or _OF_KEY.fullmatch(tool_of(key))
    tool = found[found.lastindex or 0] if found else ""
    return tool != "" and not is_mentioned(compared, _ALSO.get(tool, tool))


def is_mentioned(compared: Comparison, what: str) -> bool:
    """Whether anything does that is run or was there at the start.

    True where nobody can tell what is run.
    """
    trees = (compared.old, compared.new)
    calls = [
        call
        for tree in trees
        for command in compared.commands
        for call in find_deciding_calls(tree, command)
    ]
    if not calls or any(call[0] not in _PLAIN for call in calls):
        return True
    named = re.compile(what, re.IGNORECASE)
    paths = (path for path in compared.old if not _IGNORING.fullmatch(path))
    run = (*compared.commands, *(word for call in calls for word in call))
    return any(map(named.search, run)) or any(
        named.search(path) or named.search(compared.old.text(path)) for path in paths
    )
