"""Tests that changed only because the product got new names: they are as strict as before."""

import posixpath
import re
from collections.abc import Iterator
from itertools import product

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
    """Names that only one of the two products has, and modules whose file moved or is new."""

    removed: frozenset[str]
    added: frozenset[str]
    moved_modules: frozenset[str]
    current_modules: frozenset[str]


def find_followers(comparison: Comparison) -> frozenset[str]:
    """Return the old and new paths of tests that differ only by renamed names."""
    followers = [*_pair_moved_go_tests(comparison)]
    if candidates := list(_pair_tests(comparison)):
        names = compare_names(comparison)
        followers += (pair for pair in candidates if _follows(comparison, *pair, names))
    return frozenset(path for pair in followers for path in pair)


def _pair_moved_go_tests(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Pair Go tests whose whole package moved: a test stands in its package's folder."""
    sources = (path for path in _list_product(comparison.new) if path.endswith(".go"))
    folders = {posixpath.dirname(path) for path in sources}
    for old, new in comparison.changes.moved.items():
        is_left = posixpath.dirname(old) not in folders
        if old.endswith("_test.go") and is_left and posixpath.dirname(new) in folders:
            yield old, new


def _follows(comparison: Comparison, old: str, new: str, names: NameChanges) -> bool:
    before, after = _read_tests(comparison.old, old), _read_tests(comparison.new, new)
    if _list_lines(before) == _list_lines(after):
        return False
    packaged = move_to_package(comparison, old, new)
    if packaged is not None and _list_lines(packaged) == _list_lines(after):
        return True
    # A test in another folder imports the same modules by other relative paths.
    return _differ_by_names(
        _make_imports_absolute(old, before), _make_imports_absolute(new, after), names
    )


def _pair_tests(comparison: Comparison) -> Iterator[tuple[str, str]]:
    for path in comparison.changes.edited:
        # Examples in comments are tests too, which `extract_inline_tests` does not see.
        inline = path.endswith(".rs") and "```" not in comparison.old.text(path)
        is_test = comparison.role(path) == "test"
        if is_test or (inline and extract_inline_tests(comparison.old.text(path))):
            yield path, path
    changes = comparison.changes
    removed, added = (
        [path for path in paths if comparison.role(path) == "test"]
        for paths in (changes.removed, changes.added)
    )
    for old, new in product(removed, added):
        if language_of_tests(old) == language_of_tests(new):
            yield old, new


def _read_tests(tree: Tree, path: str) -> str:
    inline = path.endswith(".rs") and classify_file(path) != "test"
    return extract_inline_tests(tree.text(path)) if inline else tree.text(path)


def _make_imports_absolute(path: str, text: str) -> str:
    def resolve(found: re.Match[str]) -> str:
        resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), found[2]))
        return f"{found[1]}{resolved}{found[1]}"

    return _RELATIVE.sub(resolve, text)


def compare_names(comparison: Comparison) -> NameChanges:
    old_names, new_names = find_product_names(comparison.old), find_product_names(comparison.new)
    old, new = set(_list_product(comparison.old)), set(_list_product(comparison.new))
    old_modules, new_modules = _list_modules(old), _list_modules(new)
    return NameChanges(
        (old_names - new_names) | (old_modules - new_modules),
        (new_names - old_names) | (new_modules - old_modules),
        frozenset(posixpath.basename(path).partition(".")[0] for path in old - new),
        new_modules,
    )


def _list_product(tree: Tree) -> Iterator[str]:
    return (path for path in tree if language_of_tests(path) and classify_file(path) == "product")


def _list_modules(paths: set[str]) -> frozenset[str]:
    """Return the folders and modules of the paths, as an import names them."""
    return frozenset(part.partition(".")[0] for path in paths for part in path.split("/"))


def _differ_by_names(old: str, new: str, names: NameChanges) -> bool:
    """Whether each differing line imports a moved module, or has a renamed name at its place."""
    before, after = _list_lines(old), _list_lines(new)
    if len(before) != len(after):
        return False
    renames: set[tuple[str, str]] = set()
    for was, now in zip(before, after, strict=True):
        if was != now and not _is_moved_import(was, now, names):
            parts, others = WORD_OR_REST.findall(was), WORD_OR_REST.findall(now)
            if len(parts) != len(others):
                return False
            renames |= {pair for pair in zip(parts, others, strict=True) if pair[0] != pair[1]}
    is_one_to_one = len({a for a, _ in renames}) == len({b for _, b in renames}) == len(renames)
    return is_one_to_one and all(a in names.removed and b in names.added for a, b in renames)


def _list_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _is_moved_import(was: str, now: str, names: NameChanges) -> bool:
    """Whether the line imports a module whose file moved."""
    if not _IMPORT.match(was) or not _IMPORT.match(now):
        return False
    before, after = set(_TOKEN.findall(was)), set(_TOKEN.findall(now))
    known = names.current_modules | _OF_PATHS
    return bool(before & names.moved_modules) and after - before <= known
