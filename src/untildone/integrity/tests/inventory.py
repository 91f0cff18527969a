"""Reads the tests of a tree by syntax, without running them: names, marks and assertions.

A reader for each language finds the tests of a file. Helpers of other test files are entered, so
that an assertion in `check_total(cart, 30)` counts for the test that calls it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from ast_grep_py import SgNode
from msgspec.structs import replace

from untildone.core.late_patterns import compile_late
from untildone.integrity.tests import go, java, javascript, python, rust
from untildone.integrity.tests.expected_files import list_scalars
from untildone.integrity.tests.model import Inventory, Test
from untildone.syntax import nodes
from untildone.syntax.languages import language_of_tests
from untildone.worktree.contents import Tree
from untildone.worktree.limits import TooManySteps, count_for_file, limit_steps
from untildone.worktree.roles import classify_file


class TestReader(Protocol):
    """What the module of a language has to define."""

    # yields a file's functions with their names
    def list_functions(self, root: SgNode) -> Iterator[tuple[str, SgNode]]: ...

    # yields the tests that are collected from a file; `shared` are helpers of other files
    def read_tests(
        self, path: str, root: SgNode, shared: Mapping[str, SgNode]
    ) -> Iterator[Test]: ...


_SCRIPT_LANGUAGES = ("javascript", "typescript", "tsx")
READERS: dict[str, TestReader] = {
    **{"python": python, "go": go, "rust": rust, "java": java},
    **dict.fromkeys(_SCRIPT_LANGUAGES, javascript),
}
# A function or statement with such a word belongs to a test, so its literals are not outside.
_ASSERTING_WORD = compile_late(r"assert|expect|raises|\.(Error|Fatal)|should|fail")
_FUNCTIONS_AND_STATEMENTS = nodes.FUNCTIONS | {"decorated_definition", "expression_statement"}
_COLLECTED_NAME = compile_late(
    r"test_[^/]*\.py|[^/]*_test\.(py|go)|[^/]*[.\-_](test|spec)\.[cm]?[jt]sx?"
    r"|[^/]*(Test|Tests|IT|Spec)\.java|[^/]*\.rs"
)


def may_hold_tests(path: str) -> bool:
    """Whether tests can be read from the file; Rust files hold tests beside the product."""
    return bool(language_of_tests(path)) and (classify_file(path) == "test" or path.endswith(".rs"))


def read_inventory(
    tree: Tree, paths: Iterable[str] | None = None, *, helpers: Iterable[str] = ()
) -> Inventory:
    """Read the tests of these files, or of the whole tree.

    Their helpers are looked up among them and in the files `helpers`, whose tests are not read.
    """
    chosen = tree if paths is None else (path for path in paths if path in tree)
    helper_files = (path for path in helpers if path in tree)
    # The tree caches the result by the whole selection, as its files may call each other's helpers.
    return tree.fact(_read_selection, "\0".join((*chosen, "", *helper_files)))


def _read_selection(tree: Tree, selection: str) -> Inventory:
    """Read the files of a selection: paths joined by NUL, an empty one, paths of helpers."""
    paths = selection.split("\0")
    chosen, helper_files = paths[: paths.index("")], paths[paths.index("") + 1 :]
    roots = {
        path: tree.fact(nodes.parse_test_file, path) for path in chosen if may_hold_tests(path)
    }
    helpers = {
        path: dict(READERS[language_of_tests(path)].list_functions(root))
        for path in (*roots, *helper_files)
        if may_hold_helpers(path) and (root := tree.fact(nodes.parse_test_file, path)) is not None
    }
    tests: list[Test] = []
    # Of a longer file only the beginning is parsed.
    unread = {path for path in roots if tree.entries[path].size > nodes.MAX_TEST_FILE_LENGTH}
    unread.update(tree.unread.keys() & roots)
    for path, root in roots.items():
        others = (tree.text(other) for other in tree if other.endswith(".rs") and other != path)
        # Marks of a Rust file that no other file declares as a module.
        exclusion = rust.find_exclusion_marks(path, others) if path.endswith(".rs") else frozenset()
        shared: dict[str, SgNode] = {}
        for other, functions in helpers.items():
            shared |= functions if other != path and can_call_helper(other, path) else {}
        try:
            with count_for_file(path), limit_steps():
                file_tests = list(READERS[language_of_tests(path)].read_tests(path, root, shared))
        except (RecursionError, TooManySteps):
            unread.add(path)
            continue
        tests += (replace(test, marks=test.marks | exclusion) for test in file_tests)
    literals = [literal for root in roots.values() for literal in _list_outside_literals(root)]
    for path in chosen:
        if path not in roots and classify_file(path) == "test":
            literals += list_scalars(path, tree.text(path))
    return Inventory(tuple(tests), tuple(literals), frozenset(unread))


def list_helper_sources(tree: Tree, path: str) -> dict[str, str]:
    """Return the source of each function of the file with its decorators."""
    if path not in tree or not may_hold_tests(path):
        return {}
    root = tree.fact(nodes.parse_test_file, path)
    functions = READERS[language_of_tests(path)].list_functions(root)
    return {name: f"{python.read_decorators(node)}{node.text()}" for name, node in functions}


def is_collected(path: str) -> bool:
    """Whether test runners collect files of this name."""
    return bool(_COLLECTED_NAME.fullmatch(path.rpartition("/")[2]))


def may_hold_helpers(path: str) -> bool:
    """Whether tests of other files may call functions of this one.

    A file of tests is no such file, except in Go, where a package shares all its functions.
    """
    return may_hold_tests(path) and (path.endswith(".go") or not is_collected(path))


def can_call_helper(helper: str, path: str) -> bool:
    """Whether tests in `path` can call functions of `helper`.

    A `conftest.py` is visible below its folder, a Go file in its package, others everywhere.
    """
    languages = {language_of_tests(helper), language_of_tests(path)}
    if len(languages) > 1:
        return languages.issubset(_SCRIPT_LANGUAGES)
    folder = helper.rpartition("/")[0]
    if helper.endswith("conftest.py"):
        return not folder or path.startswith(f"{folder}/")
    return not helper.endswith(".go") or folder == path.rpartition("/")[0]


def _list_outside_literals(root: SgNode) -> Iterator[str]:
    """Yield the literals of constants, fixtures and helpers that assert nothing themselves."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.kind() in _FUNCTIONS_AND_STATEMENTS and _ASSERTING_WORD.search(node.text()):
            continue
        if node.kind() not in nodes.NUMBERS | nodes.STRINGS:
            waiting += nodes.list_parts(node)
        elif (literal := nodes.read_literal(node)) is not None:
            yield literal
