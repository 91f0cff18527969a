"""Every test of a tree by syntax: what is collected, under which marks, claiming what."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from ast_grep_py import SgNode

from untildone.integrity.tests import go as tests_go
from untildone.integrity.tests import java as tests_java
from untildone.integrity.tests import javascript as tests_javascript
from untildone.integrity.tests import python as tests_python
from untildone.integrity.tests import rust as tests_rust
from untildone.integrity.tests.data import scalars
from untildone.integrity.tests.model import Inventory, Test
from untildone.syntax.languages import language_of_tests
from untildone.syntax.nodes import (
    FUNCTIONS,
    LONGEST_READ,
    NUMBERS,
    STRINGS,
    list_parts,
    parse_test_file,
    read_literal,
)
from untildone.worktree.contents import Tree
from untildone.worktree.limits import TooManySteps, limited_steps
from untildone.worktree.roles import classify_file


class Reader(Protocol):
    # every function of a file, by its name
    def functions(self, root: SgNode) -> Iterator[tuple[str, SgNode]]: ...

    # the tests that are collected from a file, given the helpers it may call
    def tests(self, path: str, root: SgNode, shared: Mapping[str, SgNode]) -> Iterator[Test]: ...


READERS: dict[str, Reader] = {
    "python": tests_python,
    "go": tests_go,
    "rust": tests_rust,
    "java": tests_java,
    **dict.fromkeys(("javascript", "typescript", "tsx"), tests_javascript),
}
_ASSERTS = re.compile(r"assert|expect|raises|\.(Error|Fatal)|should|fail")
_RUNS = FUNCTIONS | {"decorated_definition", "expression_statement"}
_LITERALS = NUMBERS | STRINGS
_OWN_TESTS = re.compile(
    r"test_[^/]*\.py|[^/]*_test\.(py|go)|[^/]*[.\-_](test|spec)\.[cm]?[jt]sx?"
    r"|[^/]*(Test|Tests|IT|Spec)\.java|[^/]*\.rs"
)


def read(path: str) -> bool:
    """Whether the file may hold tests that can be read; Rust keeps them with the product."""
    return bool(language_of_tests(path)) and (classify_file(path) == "test" or path.endswith(".rs"))


def inventory(tree: Tree, paths: Iterable[str] | None = None) -> Inventory:
    """Of these files, or of every file of tests; helpers of one file may serve another."""
    chosen = list(tree if paths is None else (path for path in paths if path in tree))
    roots = {path: tree.fact(parse_test_file, path) for path in chosen if read(path)}
    helpers = {
        path: dict(READERS[language_of_tests(path)].functions(root))
        for path, root in roots.items()
        if serves(path)
    }
    found: list[Test] = []
    unread = {path for path in roots if is_too_long(tree, path)}
    for path, root in roots.items():
        left_out = _left_out(tree, path)
        own = _tests(path, root, _shared(path, helpers))
        if own is None:
            unread.add(path)
        found += (
            Test(each.path, each.name, each.claims, each.marks | left_out) for each in own or ()
        )
    loose = [each for root in roots.values() for each in _loose(root)]
    for path in chosen:
        if path not in roots and classify_file(path) == "test":
            loose += scalars(path, tree.text(path))
    return Inventory(tuple(found), tuple(loose), frozenset(unread))


def _shared(path: str, helpers: Mapping[str, Mapping[str, SgNode]]) -> dict[str, SgNode]:
    return {
        name: node
        for other, functions in helpers.items()
        if other != path and reaches(other, path)
        for name, node in functions.items()
    }


def is_too_long(tree: Tree, path: str) -> bool:
    """Whether some of its tests are beyond what is read of a file."""
    return path in tree and tree.entries[path].size > LONGEST_READ


def _tests(path: str, root: SgNode, shared: Mapping[str, SgNode]) -> list[Test] | None:
    """None if the file is nested deeper than anybody writes, or takes too many steps."""
    try:
        with limited_steps():
            return list(READERS[language_of_tests(path)].tests(path, root, shared))
    except (RecursionError, TooManySteps):
        return None


def helpers_of(tree: Tree, path: str) -> dict[str, str]:
    """The functions of a file as they are written, with what stands above them."""
    if path not in tree or not read(path):
        return {}
    root = tree.fact(parse_test_file, path)
    functions = READERS[language_of_tests(path)].functions(root)
    return {name: f"{_above(node)}{node.text()}" for name, node in functions}


def _above(node: SgNode) -> str:
    before = node.prev()
    return before.text() if before is not None and before.kind() == "decorator" else ""


def _left_out(tree: Tree, path: str) -> frozenset[str]:
    if not path.endswith(".rs"):
        return frozenset()
    others = (tree.text(each) for each in tree if each.endswith(".rs") and each != path)
    return tests_rust.left_out(path, others)


def collected(path: str) -> bool:
    """Whether a runner looks for tests in a file of this name."""
    return bool(_OWN_TESTS.fullmatch(path.rpartition("/")[2]))


def serves(path: str) -> bool:
    """Whether tests of other files may call what is in it."""
    return read(path) and (path.endswith(".go") or not collected(path))


def reaches(helper: str, path: str) -> bool:
    """A `conftest.py` serves what is below it, Go its own package, others everybody."""
    if language_of_tests(helper) != language_of_tests(path):
        return language_of_tests(helper) in _SCRIPTS and language_of_tests(path) in _SCRIPTS
    folder = helper.rpartition("/")[0]
    if helper.endswith("conftest.py"):
        return not folder or path.startswith(f"{folder}/")
    return not helper.endswith(".go") or folder == path.rpartition("/")[0]


_SCRIPTS = frozenset(("javascript", "typescript", "tsx"))


def _loose(root: SgNode) -> Iterator[str]:
    """Literals of constants, fixtures and helpers that assert nothing themselves."""
    left = [root]
    while left:
        node = left.pop()
        if node.kind() in _RUNS and _ASSERTS.search(node.text()):
            continue
        if node.kind() not in _LITERALS:
            left += list_parts(node)
        elif (written := read_literal(node)) is not None:
            yield written
