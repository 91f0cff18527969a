"""Tests that changed only because the product got new names: they are as strict as before."""

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
# Blanks are kept: they count in strings and as indentation.
WORD_OR_REST = re.compile(r"\w+|\W+")
_IMPORT = re.compile(r"\s*(from|import|use|export|\}\s*from)\b|.*\b(require|import)\s*\(")
# '../src/money'
_RELATIVE = re.compile(r"(['\"])(\.{1,2}/[^'\"\n]*)\1")
_OF_PATHS = frozenset("./:@~")


class NameChanges(Struct, frozen=True):
    """`gone` and `come` are names of the product, `left` and `entered` names of modules."""

    gone: frozenset[str]
    come: frozenset[str]
    left: frozenset[str]
    entered: frozenset[str]


def find_followers(comparison: Comparison) -> frozenset[str]:
    """Return the old and new paths of tests that differ only by renamed names."""
    follow = [*_pair_moved_go_tests(comparison)]
    if candidates := list(_pair_tests(comparison)):
        known = compare_names(comparison)
        follow += (pair for pair in candidates if _follows(comparison, pair, known))
    return frozenset(path for pair in follow for path in pair)


def _pair_moved_go_tests(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Pair Go tests whose whole package moved: a test stands in its package's folder."""
    folders = {_get_folder(path) for path in _list_product(comparison.new) if path.endswith(".go")}
    for was, now in comparison.changes.moved.items():
        if (
            was.endswith("_test.go")
            and _get_folder(was) not in folders
            and _get_folder(now) in folders
        ):
            yield was, now


def _get_folder(path: str) -> str:
    return path.rpartition("/")[0]


def _follows(comparison: Comparison, pair: tuple[str, str], known: NameChanges) -> bool:
    old, new = _read_tests(comparison.old, pair[0]), _read_tests(comparison.new, pair[1])
    if _list_lines(old) == _list_lines(new):
        return False
    packaged = move_to_package(comparison, *pair)
    if packaged is not None and _list_lines(packaged) == _list_lines(new):
        return True
    # A test in another folder imports the same modules by other relative paths.
    return _only_follows(
        _make_imports_absolute(pair[0], old), _make_imports_absolute(pair[1], new), known
    )


def _pair_tests(comparison: Comparison) -> Iterator[tuple[str, str]]:
    for path in comparison.changes.edited:
        # Examples in comments are tests too, which `extract_inline_tests` does not see.
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


def _read_tests(tree: Tree, path: str) -> str:
    inline = path.endswith(".rs") and classify_file(path) != "test"
    return extract_inline_tests(tree.text(path)) if inline else tree.text(path)


def _make_imports_absolute(path: str, text: str) -> str:
    return _RELATIVE.sub(lambda found: f"{found[1]}{_resolve(path, found[2])}{found[1]}", text)


def _resolve(path: str, way: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(path).parent / way).parts:
        parts = parts[:-1] if part == ".." and parts else [*parts, part]
    return "/".join(parts)


def compare_names(comparison: Comparison) -> NameChanges:
    before, after = find_product_names(comparison.old), find_product_names(comparison.new)
    old, new = set(_list_product(comparison.old)), set(_list_product(comparison.new))
    was, are = _list_parts(old), _list_parts(new)
    left = frozenset(path.rpartition("/")[2].partition(".")[0] for path in old - new)
    return NameChanges((before - after) | (was - are), (after - before) | (are - was), left, are)


def _list_product(tree: Tree) -> Iterator[str]:
    return (path for path in tree if language_of_tests(path) and classify_file(path) == "product")


def _list_parts(paths: set[str]) -> frozenset[str]:
    """Return the folders and modules of the paths, as an import names them."""
    return frozenset(part.partition(".")[0] for path in paths for part in path.split("/"))


def _only_follows(old: str, new: str, names: NameChanges) -> bool:
    before, after = _list_lines(old), _list_lines(new)
    if len(before) != len(after):
        return False
    differing = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    renames: set[tuple[str, str]] = set()
    for was, now in differing:
        if not _is_moved_import(was, now, names):
            renames |= _pair_words(was, now)
    one_to_one = len({a for a, _ in renames}) == len({b for _, b in renames}) == len(renames)
    known = all(a in names.gone and b in names.come for a, b in renames)
    return one_to_one and known


def _list_lines(text: str) -> list[str]:
    return [each for each in text.splitlines() if each.strip()]


def _pair_words(was: str, now: str) -> set[tuple[str, str]]:
    before, after = WORD_OR_REST.findall(was), WORD_OR_REST.findall(now)
    if len(before) != len(after):
        return {(was, now)}
    return {pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]}


def _is_moved_import(was: str, now: str, names: NameChanges) -> bool:
    """Say whether the line imports a module whose file moved."""
    if not _IMPORT.match(was) or not _IMPORT.match(now):
        return False
    before, after = set(_TOKEN.findall(was)), set(_TOKEN.findall(now))
    return bool(before & names.left) and after - before <= names.entered | _OF_PATHS
