"""Tests that only followed the product to a new name or place: they judge as they did."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from msgspec import Struct

from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.go_packages import move_to_package
from untildone.integrity.experiments.inline_tests import extract_inline_tests
from untildone.integrity.tests.tested_names import find_product_names
from untildone.syntax.languages import language_of_tests
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_TOKEN = re.compile(r"\w+|[^\w\s]")
# With the blanks: they count in a text, and at the beginning of a line.
WORD_OR_REST = re.compile(r"\w+|\W+")
_IMPORT = re.compile(r"\s*(from|import|use|export|\}\s*from)\b|.*\b(require|import)\s*\(")
# '../src/money'
_RELATIVE = re.compile(r"(['\"])(\.{1,2}/[^'\"\n]*)\1")
_OF_PATHS = frozenset("./:@~")


class NameChanges(Struct, frozen=True):
    """`left` and `entered` are modules whose files went away, and modules that are there now."""

    gone: frozenset[str]
    come: frozenset[str]
    left: frozenset[str]
    entered: frozenset[str]


def find_followers(comparison: Comparison) -> frozenset[str]:
    """Files of tests, before and after, that differ by names the product gave up for new ones."""
    follow = [*_with_their_package(comparison)]
    if candidates := list(_pairs(comparison)):
        known = compare_names(comparison)
        follow += (pair for pair in candidates if _follows(comparison, pair, known))
    return frozenset(path for pair in follow for path in pair)


def _with_their_package(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Go: a test stands in the folder of its package, and all of that went elsewhere."""
    folders = {_folder(path) for path in _product(comparison.new) if path.endswith(".go")}
    for was, now in comparison.changes.moved.items():
        if was.endswith("_test.go") and _folder(was) not in folders and _folder(now) in folders:
            yield was, now


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _follows(comparison: Comparison, pair: tuple[str, str], known: NameChanges) -> bool:
    old, new = _tests_of(comparison.old, pair[0]), _tests_of(comparison.new, pair[1])
    if _lines(old) == _lines(new):
        return False
    packaged = move_to_package(comparison, *pair)
    if packaged is not None and _lines(packaged) == _lines(new):
        return True
    # A test that went to another folder names the same modules by other ways.
    return _only_follows(_from_the_top(pair[0], old), _from_the_top(pair[1], new), known)


def _pairs(comparison: Comparison) -> Iterator[tuple[str, str]]:
    for path in comparison.changes.edited:
        # An example in its comments is a test beside those.
        inline = path.endswith(".rs") and "```" not in comparison.old.text(path)
        if comparison.role(path) == "test" or (
            inline and extract_inline_tests(comparison.old.text(path))
        ):
            yield path, path
    arrived = [path for path in comparison.changes.added if comparison.role(path) == "test"]
    for path in comparison.changes.removed:
        if comparison.role(path) == "test":
            yield from (
                (path, each)
                for each in arrived
                if language_of_tests(each) == language_of_tests(path)
            )


def _tests_of(tree: Tree, path: str) -> str:
    inline = path.endswith(".rs") and classify_file(path) != "test"
    return extract_inline_tests(tree.text(path)) if inline else tree.text(path)


def _from_the_top(path: str, text: str) -> str:
    return _RELATIVE.sub(lambda found: f"{found[1]}{_resolved(path, found[2])}{found[1]}", text)


def _resolved(path: str, way: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(path).parent / way).parts:
        parts = parts[:-1] if part == ".." and parts else [*parts, part]
    return "/".join(parts)


def compare_names(comparison: Comparison) -> NameChanges:
    before, after = find_product_names(comparison.old), find_product_names(comparison.new)
    old, new = set(_product(comparison.old)), set(_product(comparison.new))
    was, are = _parts(old), _parts(new)
    left = frozenset(path.rpartition("/")[2].partition(".")[0] for path in old - new)
    return NameChanges((before - after) | (was - are), (after - before) | (are - was), left, are)


def _product(tree: Tree) -> Iterator[str]:
    return (path for path in tree if language_of_tests(path) and classify_file(path) == "product")


def _parts(paths: set[str]) -> frozenset[str]:
    """Of a path: folders and modules, as an import names them."""
    return frozenset(part.partition(".")[0] for path in paths for part in path.split("/"))


def _only_follows(old: str, new: str, names: NameChanges) -> bool:
    before, after = _lines(old), _lines(new)
    if len(before) != len(after):
        return False
    differing = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    renames: set[tuple[str, str]] = set()
    for was, now in differing:
        if not _moved(was, now, names):
            renames |= _renames(was, now)
    one_to_one = len({a for a, _ in renames}) == len({b for _, b in renames}) == len(renames)
    known = all(a in names.gone and b in names.come for a, b in renames)
    return one_to_one and known


def _lines(text: str) -> list[str]:
    return [each for each in text.splitlines() if each.strip()]


def _renames(was: str, now: str) -> set[tuple[str, str]]:
    before, after = WORD_OR_REST.findall(was), WORD_OR_REST.findall(now)
    if len(before) != len(after):
        return {(was, now)}
    return {pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]}


def _moved(was: str, now: str, names: NameChanges) -> bool:
    """The import of a module whose file is at another place now."""
    if not _IMPORT.match(was) or not _IMPORT.match(now):
        return False
    before, after = set(_TOKEN.findall(was)), set(_TOKEN.findall(now))
    return bool(before & names.left) and after - before <= names.entered | _OF_PATHS
