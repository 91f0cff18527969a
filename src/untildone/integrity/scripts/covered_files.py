"""The files that the targets of a call cover: different words may name the same files."""

import re
from collections.abc import Collection, Sequence

from untildone.commands.globs import compile_glob
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_RUNS_TESTS = words("""
    node jest vitest mocha ava tap bun deno tsx pytest unittest sh bats playwright
""")
# Their targets are a part of a path, or an expression.
_BY_PART = frozenset(("jest", "vitest", "playwright"))
_CODE = re.compile(
    r".*\.(pyi?|[cm]?[jt]sx?|go|rs|java|kt|cc?|cpp|h|rb|php|vue|svelte|css|sh|bash|bats|json|ya?ml)"
)
_SCRIPT = re.compile(r".*\.([cm]?[jt]sx?|vue|svelte)")
_PYTHON = re.compile(r".*\.pyi?")
_FILES_OF_TOOL = {
    **dict.fromkeys(("eslint", "node", "jest", "vitest", "mocha", "tsc", "oxlint"), _SCRIPT),
    **dict.fromkeys(("pytest", "unittest", "ruff", "mypy", "flake8", "pylint"), _PYTHON),
}
_HOLDS_TESTS = re.compile(r"\b(test|it|describe|suite)(\.\w+)*\s*\(|\bdef test|\bTestCase\b")
_MANIFEST = re.compile(r"(.*/)?(package(-lock)?|tsconfig[^/]*)\.json")


def runs_tests(program: str, options: Collection[str]) -> bool:
    """`node --check` and `sh -n` only read."""
    if program == "node":
        return "--test" in options
    return program in _RUNS_TESTS and not (program == "sh" and "-n" in options)


def find_covered_files(
    program: str, targets: Sequence[str], tree: Tree, *, tests: bool
) -> frozenset[str]:
    """Return the files of the targets; without targets every file that the tool can check."""
    files = [path for path in tree if _is_checkable(program, path, tree, tests=tests)]
    if not targets:
        return frozenset(files)
    return frozenset(
        path for path in files if any(_covers(program, each, path) for each in targets)
    )


def _is_checkable(program: str, path: str, tree: Tree, *, tests: bool) -> bool:
    if not _FILES_OF_TOOL.get(program, _CODE).fullmatch(path) or _MANIFEST.fullmatch(path):
        return False
    if not tests:
        return True
    is_shell = path.endswith((".sh", ".bash", ".bats"))
    has_tests = is_shell if program in ("sh", "bats") else holds_tests(path, tree.text(path))
    return classify_file(path) == "test" and has_tests


def _covers(program: str, target: str, path: str) -> bool:
    plain = re.sub(r"^\./", "", target.strip("'\""))
    folder = re.sub(r"(^|/)(\.\.\.|\*\*(/\*)?)?$", "", plain)
    if plain in ("", ".", "...") or path in (plain, folder) or path.startswith(f"{folder}/"):
        return True
    if any(each.fullmatch(path) for each in compile_glob(plain)):
        return True
    return program in _BY_PART and plain in path


def holds_tests(path: str, text: str) -> bool:
    """Whether the file has tests in a language that names them."""
    known = _SCRIPT.fullmatch(path) or _PYTHON.fullmatch(path)
    return known is not None and _HOLDS_TESTS.search(text) is not None
