"""The files that a tool checks when it is called with certain targets.

Different words may name the same files: `pytest tests`, `pytest ./tests/` and
`pytest tests/test_a.py tests/test_b.py` may cover the same two files.
"""

import re
from collections.abc import Iterable, Sequence

from untildone.commands.globs import compile_glob
from untildone.core.late_patterns import compile_late
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_TEST_RUNNERS = words("""
    node jest vitest mocha ava tap bun deno tsx pytest unittest sh bats playwright
""")
# `jest cart` runs every test file with `cart` in its path.
_MATCHING_PARTS_OF_PATHS = frozenset(("jest", "vitest", "playwright"))
_CODE = compile_late(
    r".*\.(pyi?|[cm]?[jt]sx?|go|rs|java|kt|cc?|cpp|h|rb|php|vue|svelte|css|sh|bash|bats|json|ya?ml)"
)
_JAVASCRIPT = compile_late(r".*\.([cm]?[jt]sx?|vue|svelte)")
_PYTHON = compile_late(r".*\.pyi?")
_FILES_OF_TOOL = {
    **dict.fromkeys(("eslint", "node", "jest", "vitest", "mocha", "tsc", "oxlint"), _JAVASCRIPT),
    **dict.fromkeys(("pytest", "unittest", "ruff", "mypy", "flake8", "pylint"), _PYTHON),
}
_TEST_DEFINITION = compile_late(r"\b(test|it|describe|suite)(\.\w+)*\s*\(|\bdef test|\bTestCase\b")
# Files with a suffix of code that are settings, or written by an installer.
_MANIFEST = compile_late(r"(.*/)?(package(-lock)?|tsconfig[^/]*)\.json")


def runs_tests(program: str, options: Iterable[str]) -> bool:
    """Say whether the program runs tests with these options: `node --check` only parses."""
    option_names = frozenset(options)
    if program == "node":
        return "--test" in option_names
    only_parses = program == "sh" and "-n" in option_names
    return program in _TEST_RUNNERS and not only_parses


def find_covered_files(
    program: str, targets: Sequence[str], tree: Tree, *, only_tests: bool
) -> frozenset[str]:
    """Return the files of the targets; without targets every file that the tool can check.

    With `only_tests` files without a test are left out: a test runner does nothing with them.
    """
    return frozenset(
        path
        for path in tree
        if _is_checkable(program, path, tree, only_tests=only_tests)
        and (not targets or any(_covers(program, target, path) for target in targets))
    )


def contains_tests(path: str, text: str) -> bool:
    """Say whether a Python or JavaScript file defines a test; False for other languages."""
    is_known = _JAVASCRIPT.fullmatch(path) or _PYTHON.fullmatch(path)
    return is_known is not None and _TEST_DEFINITION.search(text) is not None


def _is_checkable(program: str, path: str, tree: Tree, *, only_tests: bool) -> bool:
    """Say whether the tool reads files of this kind, and, with `only_tests`, finds a test in it."""
    if not _FILES_OF_TOOL.get(program, _CODE).fullmatch(path) or _MANIFEST.fullmatch(path):
        return False
    if not only_tests:
        return True
    if program in ("sh", "bats"):
        # A shell script is a test as a whole.
        has_tests = path.endswith((".sh", ".bash", ".bats"))
    else:
        has_tests = contains_tests(path, tree.text(path))
    return classify_file(path) == "test" and has_tests


def _covers(program: str, target: str, path: str) -> bool:
    """Say whether a target (a file, folder, glob, or part of a path) covers the file."""
    name = re.sub(r"^\./", "", target.strip("'\""))
    # "src/..." of Go and "src/**/*" are the folder "src".
    folder = re.sub(r"(^|/)(\.\.\.|\*\*(/\*)?)?$", "", name)
    if name in ("", ".", "...") or path in (name, folder) or path.startswith(f"{folder}/"):
        return True
    if any(pattern.fullmatch(path) for pattern in compile_glob(name)):
        return True
    return program in _MATCHING_PARTS_OF_PATHS and name in path
