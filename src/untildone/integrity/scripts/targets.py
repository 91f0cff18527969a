"""Which files the targets of a call take in: other words may stand for the same files."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice, product

from untildone.integrity.roles import role
from untildone.worktree.contents import Tree

_RUNS_TESTS = frozenset(
    (
        *("node", "jest", "vitest", "mocha", "ava", "tap", "bun", "deno", "tsx", "pytest"),
        *("unittest", "sh", "bats", "playwright"),
    )
)
# What they are told is part of a name, or an expression.
_BY_PART = frozenset(("jest", "vitest", "playwright"))
_CODE = re.compile(
    r".*\.(pyi?|[cm]?[jt]sx?|go|rs|java|kt|cc?|cpp|h|rb|php|vue|svelte|css|sh|bash|bats|json|ya?ml)"
)
_SCRIPT = re.compile(r".*\.([cm]?[jt]sx?|vue|svelte)")
_PYTHON = re.compile(r".*\.pyi?")
_KINDS = {
    **dict.fromkeys(("eslint", "node", "jest", "vitest", "mocha", "tsc", "oxlint"), _SCRIPT),
    **dict.fromkeys(("pytest", "unittest", "ruff", "mypy", "flake8", "pylint"), _PYTHON),
}
_HOLDS_TESTS = re.compile(r"\b(test|it|describe|suite)(\.\w+)*\s*\(|\bdef test|\bTestCase\b")
_MOST = 100
_NOT_COUNTED = re.compile(r"(.*/)?(package(-lock)?|tsconfig[^/]*)\.json")


def runs_tests(program: str, options: Iterable[str]) -> bool:
    """`node --check` and `sh -n` only read."""
    said = frozenset(options)
    if program == "node":
        return "--test" in said
    return program in _RUNS_TESTS and not (program == "sh" and "-n" in said)


def taken_in(program: str, targets: Sequence[str], tree: Tree, *, tests: bool) -> frozenset[str]:
    """Without targets everything that the tool could look at."""
    files = [path for path in tree if _is_looked_at(program, path, tree, tests=tests)]
    if not targets:
        return frozenset(files)
    return frozenset(path for path in files if any(_takes(program, each, path) for each in targets))


def _is_looked_at(program: str, path: str, tree: Tree, *, tests: bool) -> bool:
    if not _KINDS.get(program, _CODE).fullmatch(path) or _NOT_COUNTED.fullmatch(path):
        return False
    if not tests:
        return True
    shell = path.endswith((".sh", ".bash", ".bats"))
    held = shell if program in ("sh", "bats") else holds_tests(path, tree.text(path))
    return role(path) == "test" and held


def _takes(program: str, target: str, path: str) -> bool:
    plain = re.sub(r"^\./", "", target.strip("'\""))
    folder = re.sub(r"(^|/)(\.\.\.|\*\*(/\*)?)?$", "", plain)
    if plain in ("", ".", "...") or path in (plain, folder) or path.startswith(f"{folder}/"):
        return True
    if any(re.fullmatch(_expression(each), path) for each in braced(plain)):
        return True
    return program in _BY_PART and plain in path


def holds_tests(path: str, text: str) -> bool:
    """In a language whose tests have names."""
    known = _SCRIPT.fullmatch(path) or _PYTHON.fullmatch(path)
    return known is not None and _HOLDS_TESTS.search(text) is not None


def braced(pattern: str) -> Iterable[str]:
    """`a.{js,ts}` is two patterns."""
    parts = re.split(r"\{([^{}]*)\}", pattern)
    choices = [part.split(",") if at % 2 else [part] for at, part in enumerate(parts)]
    return islice(map("".join, product(*choices)), _MOST)


def matching(pattern: str, paths: Iterable[str]) -> list[str]:
    plain = pattern.removeprefix("./")
    expressions = [re.compile(_expression(each)) for each in braced(plain)]
    return [path for path in paths if any(each.fullmatch(path) for each in expressions)]


def _expression(pattern: str) -> str:
    """As a shell has it: a star stays within its folder."""
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    words = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    return "".join(signs.get(word) or re.escape(word) for word in words)
