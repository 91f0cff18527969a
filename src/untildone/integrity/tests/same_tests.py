"""Leaves out tests that are the same in both trees, so that only the others are read.

Reading a test means evaluating its loops and helpers, so one edited test in a file of a hundred
would take a hundred times as long. A test that has its old text asserts what it asserted before,
if nothing else has changed that it may use: no helper, no constant, no class that another one
inherits from. Imports and tests may be added.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ast_grep_py import SgNode

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.tests import go, inventory, python
from untildone.syntax import nodes
from untildone.syntax.languages import language_of_tests
from untildone.syntax.parsing import COMMENTS, parse_python
from untildone.worktree.contents import Tree

_WORD = compile_late(r"\w+")
# A comment that decides whether go builds the file.
_DECIDING_COMMENT = compile_late(r"//\s*(go:|\+build)")
_IMPORTS = frozenset(
    ("import_declaration", "import_statement", "import_from_statement", "future_import_statement")
)
# yaml "gopkg.in/yaml.v3"
_GO_IMPORT = compile_late(r"(?:([\w.]+)\s+)?[\"`]([^\"`]+)[\"`]")
# `from shop import *` and `import . "shop"` may give any name another meaning.
_ANY_NAMES = frozenset(("*", "."))


class _Import(NamedTuple):
    source: str
    # What is imported from there, and the name that it gets in this file.
    what: str
    name: str


class Place(NamedTuple):
    """Where a test stands in its file: the first character, and the one after the last."""

    start: int
    end: int


class _TopLevel(NamedTuple):
    """What stands at the top level of a test file."""

    # All of it, in its order.
    texts: tuple[str, ...]
    # The tests among them that nothing else mentions, by name.
    tests: dict[str, str]
    places: dict[str, Place]
    imports: frozenset[_Import]
    # Helpers, constants and everything else that tests may use, in its order.
    others: tuple[str, ...]


class _Language(NamedTuple):
    # returns the name of a test, or of a class of tests; None for any other node
    name_test: Callable[[SgNode], str | None]
    # yields what a statement imports
    list_imports: Callable[[str], Iterator[_Import]]


def drop_same_tests(comparison: Comparison, paths: Iterable[str]) -> tuple[Tree, Tree]:
    """Return the trees without the tests of these files that are the same in both.

    Both are whole if something changed that such tests may use.
    """
    old_texts: dict[str, str] = {}
    new_texts: dict[str, str] = {}
    for path in paths:
        if language_of_tests(path) not in _LANGUAGES:
            continue
        old, new = (_read_top_level_of(tree, path) for tree in comparison.trees)
        if not _differ_in_tests_alone(old, new, path):
            return comparison.trees
        same = _list_same_tests(old, new)
        old_texts[path], new_texts[path] = _join_without(old, same), _join_without(new, same)
    return comparison.old.replace_texts(old_texts), comparison.new.replace_texts(new_texts)


def find_same_tests(comparison: Comparison, path: str) -> dict[str, Place]:
    """Return the tests of a changed file that are the same in both trees, by name.

    There are none if something changed that they may use, or if no other test differs.
    """
    trees = comparison.trees
    is_readable = language_of_tests(path) in _LANGUAGES and all(path in tree for tree in trees)
    if not is_readable or any(len(tree.text(path)) > nodes.MAX_TEST_FILE_LENGTH for tree in trees):
        return {}
    old, new = (_read_top_level_of(tree, path) for tree in trees)
    if not _differ_in_tests_alone(old, new, path):
        return {}
    same = _list_same_tests(old, new)
    return {name: new.places[name] for name in same} if len(same) < len(new.tests) else {}


def _list_same_tests(old: _TopLevel, new: _TopLevel) -> list[str]:
    return [name for name, text in old.tests.items() if new.tests.get(name) == text]


def _read_top_level_of(tree: Tree, path: str) -> _TopLevel:
    """Return the top level of the file; an empty one if the tree has no such file."""
    nothing = _TopLevel((), {}, {}, frozenset(), ())
    return tree.fact(_read_top_level, path) if path in tree else nothing


def _differ_in_tests_alone(old: _TopLevel, new: _TopLevel, path: str) -> bool:
    """Say whether only tests differ, and imports of names that the file did not know before.

    Nothing in a file that is new or gone is used by others, unless it may hold helpers.
    """
    if not old.texts or not new.texts:
        return not inventory.may_hold_helpers(path) or not (old.others or new.others)
    added = {each.name for each in new.imports - old.imports}
    known = {word for text in old.texts for word in _WORD.findall(text)}
    return (
        old.others == new.others
        and old.imports <= new.imports
        and added.isdisjoint(known | _ANY_NAMES)
    )


def _join_without(top_level: _TopLevel, names: Iterable[str]) -> str:
    dropped = {top_level.tests[name] for name in names}
    return "\n".join(text for text in top_level.texts if text not in dropped)


def _read_top_level(tree: Tree, path: str) -> _TopLevel:
    """Return the top level of a test file. Use as a tree's fact."""
    language = _LANGUAGES[language_of_tests(path)]
    units = [
        unit for unit in tree.fact(nodes.parse_test_file, path).children() if _is_relevant(unit)
    ]
    texts = tuple(unit.text() for unit in units)
    mentions = Counter(word for text in texts for word in _WORD.findall(text))
    # Tests of other files may use whatever such a file defines.
    is_helper_file = inventory.may_hold_helpers(path) and not inventory.is_collected(path)
    tests, places, others = dict[str, str](), dict[str, Place](), list[str]()
    imports: set[_Import] = set()
    for unit, text in zip(units, texts, strict=True):
        name = None if is_helper_file else language.name_test(unit)
        if unit.kind() in _IMPORTS:
            imports.update(language.list_imports(text))
        elif name is not None and mentions[name] == 1:
            tests[name] = text
            place = unit.range()
            places[name] = Place(place.start.index, place.end.index)
        elif unit.kind() != "package_clause":
            others.append(text)
    return _TopLevel(texts, tests, places, frozenset(imports), tuple(others))


def _is_relevant(unit: SgNode) -> bool:
    """Say whether it is more than a comment, or one that decides about the file."""
    is_comment = unit.kind() in COMMENTS
    return unit.is_named() and (not is_comment or bool(_DECIDING_COMMENT.match(unit.text())))


def _list_python_imports(text: str) -> Iterator[_Import]:
    module = parse_python(text)
    for statement in module.body if module else ():
        if isinstance(statement, ast.ImportFrom):
            source = f"{'.' * statement.level}{statement.module or ''}"
            for alias in statement.names:
                yield _Import(source, alias.name, alias.asname or alias.name)
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                yield _Import(alias.name, "", alias.asname or alias.name.partition(".")[0])


def _list_go_imports(text: str) -> Iterator[_Import]:
    for name, source in _GO_IMPORT.findall(text.removeprefix("import")):
        yield _Import(source, "", name or source.rpartition("/")[2])


_LANGUAGES = {
    "python": _Language(python.name_test, _list_python_imports),
    "go": _Language(go.name_test, _list_go_imports),
}
