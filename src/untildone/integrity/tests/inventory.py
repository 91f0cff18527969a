"""Reads the tests of a tree by syntax: names, marks and assertions."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from ast_grep_py import SgNode
from msgspec.structs import replace

from untildone.integrity.tests import go as tests_go
from untildone.integrity.tests import java as tests_java
from untildone.integrity.tests import javascript as tests_javascript
from untildone.integrity.tests import python as tests_python
from untildone.integrity.tests import rust as tests_rust
from untildone.integrity.tests.expected_files import list_scalars
from untildone.integrity.tests.model import Inventory, Test
from untildone.syntax.languages import language_of_tests
from untildone.syntax.nodes import (
    FUNCTIONS,
    MAX_TEST_FILE_LENGTH,
    NUMBERS,
    STRINGS,
    list_parts,
    parse_test_file,
    read_literal,
)
from untildone.worktree.contents import Tree
from untildone.worktree.limits import TooManySteps, limit_steps
from untildone.worktree.roles import classify_file


class TestReader(Protocol):
    # yields a file's functions with their names
    def list_functions(self, root: SgNode) -> Iterator[tuple[str, SgNode]]: ...

    # yields the tests that are collected from a file; `shared` are helpers of other files
    def read_tests(
        self, path: str, root: SgNode, shared: Mapping[str, SgNode]
    ) -> Iterator[Test]: ...


READERS: dict[str, TestReader] = {
    "python": tests_python,
    "go": tests_go,
    "rust": tests_rust,
    "java": tests_java,
    **dict.fromkeys(("javascript", "typescript", "tsx"), tests_javascript),
}
_ASSERTING_WORD = re.compile(r"assert|expect|raises|\.(Error|Fatal)|should|fail")
_EXECUTED = FUNCTIONS | {"decorated_definition", "expression_statement"}
_LITERALS = NUMBERS | STRINGS
_COLLECTED_NAME = re.compile(
    r"test_[^/]*\.py|[^/]*_test\.(py|go)|[^/]*[.\-_](test|spec)\.[cm]?[jt]sx?"
    r"|[^/]*(Test|Tests|IT|Spec)\.java|[^/]*\.rs"
)


def may_hold_tests(path: str) -> bool:
    """Whether tests can be read from the file; Rust files hold tests beside the product."""
    return bool(language_of_tests(path)) and (classify_file(path) == "test" or path.endswith(".rs"))


def read_inventory(tree: Tree, paths: Iterable[str] | None = None) -> Inventory:
    """Read the tests of these files, or of the whole tree; helpers are looked up among them."""
    chosen = tree if paths is None else (path for path in paths if path in tree)
    # One fact for each selection of files, because they may call each other's helpers.
    return tree.fact(_read_selection, "\0".join(chosen))


def _read_selection(tree: Tree, selection: str) -> Inventory:
    chosen = selection.split("\0") if selection else []
    roots = {path: tree.fact(parse_test_file, path) for path in chosen if may_hold_tests(path)}
    helpers = {
        path: dict(READERS[language_of_tests(path)].list_functions(root))
        for path, root in roots.items()
        if may_hold_helpers(path)
    }
    found: list[Test] = []
    unread = {path for path in roots if is_too_long(tree, path)}
    for path, root in roots.items():
        excluding = _find_exclusion_marks(tree, path)
        tests = _read_tests(path, root, _list_shared_helpers(path, helpers))
        if tests is None:
            unread.add(path)
        found += (replace(test, marks=test.marks | excluding) for test in tests or ())
    outside = [literal for root in roots.values() for literal in _list_outside_literals(root)]
    for path in chosen:
        if path not in roots and classify_file(path) == "test":
            outside += list_scalars(path, tree.text(path))
    return Inventory(tuple(found), tuple(outside), frozenset(unread))


def _list_shared_helpers(
    path: str, helpers: Mapping[str, Mapping[str, SgNode]]
) -> dict[str, SgNode]:
    return {
        name: node
        for other, functions in helpers.items()
        if other != path and can_call_helper(other, path)
        for name, node in functions.items()
    }


def is_too_long(tree: Tree, path: str) -> bool:
    """Whether the file is longer than the part that is parsed."""
    return path in tree and tree.entries[path].size > MAX_TEST_FILE_LENGTH


def _read_tests(path: str, root: SgNode, shared: Mapping[str, SgNode]) -> list[Test] | None:
    """Return None if the file is nested too deep or takes too many steps."""
    try:
        with limit_steps():
            return list(READERS[language_of_tests(path)].read_tests(path, root, shared))
    except (RecursionError, TooManySteps):
        return None


def list_helper_sources(tree: Tree, path: str) -> dict[str, str]:
    """Return the source of each function of the file with its decorator."""
    if path not in tree or not may_hold_tests(path):
        return {}
    root = tree.fact(parse_test_file, path)
    functions = READERS[language_of_tests(path)].list_functions(root)
    return {name: f"{_read_decorator(node)}{node.text()}" for name, node in functions}


def _read_decorator(node: SgNode) -> str:
    before = node.prev()
    return before.text() if before is not None and before.kind() == "decorator" else ""


def _find_exclusion_marks(tree: Tree, path: str) -> frozenset[str]:
    if not path.endswith(".rs"):
        return frozenset()
    others = (tree.text(each) for each in tree if each.endswith(".rs") and each != path)
    return tests_rust.find_exclusion_marks(path, others)


def is_collected(path: str) -> bool:
    """Whether test runners collect files of this name."""
    return bool(_COLLECTED_NAME.fullmatch(path.rpartition("/")[2]))


def may_hold_helpers(path: str) -> bool:
    """Whether tests of other files may call functions of this one."""
    return may_hold_tests(path) and (path.endswith(".go") or not is_collected(path))


def can_call_helper(helper: str, path: str) -> bool:
    """Whether tests in `path` can call functions of `helper`.

    A `conftest.py` is visible below its folder, a Go file in its package, others everywhere.
    """
    if language_of_tests(helper) != language_of_tests(path):
        return (
            language_of_tests(helper) in _SCRIPT_LANGUAGES
            and language_of_tests(path) in _SCRIPT_LANGUAGES
        )
    folder = helper.rpartition("/")[0]
    if helper.endswith("conftest.py"):
        return not folder or path.startswith(f"{folder}/")
    return not helper.endswith(".go") or folder == path.rpartition("/")[0]


_SCRIPT_LANGUAGES = frozenset(("javascript", "typescript", "tsx"))


def _list_outside_literals(root: SgNode) -> Iterator[str]:
    """Yield the literals of constants, fixtures and helpers that assert nothing themselves."""
    left = [root]
    while left:
        node = left.pop()
        if node.kind() in _EXECUTED and _ASSERTING_WORD.search(node.text()):
            continue
        if node.kind() not in _LITERALS:
            left += list_parts(node)
        elif (written := read_literal(node)) is not None:
            yield written
