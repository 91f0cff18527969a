"""Tests that changed only because the product got new names or parameters: as strict as before.

If the product renamed `total` to `sum_up`, and a test changed from `assert total([1]) == 1` to
`assert sum_up([1]) == 1` and in nothing else, the current test is as good as the baseline's.
"""

import posixpath
import re
from collections.abc import Iterator
from itertools import product

from msgspec import Struct

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.moved_go_tests import move_to_package
from untildone.integrity.experiments.rust_inline_tests import extract_inline_tests
from untildone.integrity.tests.grown_functions import find_grown_functions, only_adds_arguments
from untildone.integrity.tests.tested_names import find_product_names
from untildone.syntax.languages import language_of_tests
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

# Blanks are kept: they count in strings and as indentation.
WORD_OR_REST = compile_late(r"\w+|\W+")
_TOKEN = compile_late(r"\w+|[^\w\s]")
# from a import b, use a::b, } from './a', const a = require('./a')
_IMPORT_LINE = compile_late(r"\s*(from|import|use|export|\}\s*from)\b|.*\b(require|import)\s*\(")
# '../src/money'
_RELATIVE_PATH = compile_late(r"(['\"])(\.{1,2}/[^'\"\n]*)\1")
_PATH_CHARACTERS = frozenset("./:@~")


class NameChanges(Struct, frozen=True):
    """How the names that the product defines differ from those of the baseline."""

    # Functions, classes, modules that only the baseline or only the current product has.
    removed: frozenset[str]
    added: frozenset[str]
    # Modules whose file was removed or moved, and all modules and folders of now.
    moved_modules: frozenset[str]
    current_modules: frozenset[str]


def find_renamed_only_tests(comparison: Comparison) -> frozenset[str]:
    """Return the old and the new paths of tests that differ only by renamed names."""
    pairs = [*_pair_moved_go_tests(comparison)]
    if candidates := list(_pair_tests(comparison)):
        names = compare_names(comparison)
        pairs += (pair for pair in candidates if _is_renamed_only(comparison, *pair, names))
    return frozenset(path for pair in pairs for path in pair)


def compare_names(comparison: Comparison) -> NameChanges:
    """Return which names and modules of the product were removed, added and moved."""
    old_names, new_names = map(find_product_names, comparison.trees)
    old_paths, new_paths = (set(_list_product(tree)) for tree in comparison.trees)
    old_modules, new_modules = _list_modules(old_paths), _list_modules(new_paths)
    return NameChanges(
        removed=(old_names - new_names) | (old_modules - new_modules),
        added=(new_names - old_names) | (new_modules - old_modules),
        moved_modules=frozenset(
            posixpath.basename(path).partition(".")[0] for path in old_paths - new_paths
        ),
        current_modules=new_modules,
    )


def _list_product(tree: Tree) -> Iterator[str]:
    """Yield the product's files in languages whose tests are understood."""
    return (path for path in tree if language_of_tests(path) and classify_file(path) == "product")


def _list_modules(paths: set[str]) -> frozenset[str]:
    """Return the folders and files of the paths without suffix, as an import names them."""
    return frozenset(part.partition(".")[0] for path in paths for part in path.split("/"))


def _pair_moved_go_tests(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield the old and new path of Go tests that moved unchanged with their whole package."""
    sources = (path for path in _list_product(comparison.new) if path.endswith(".go"))
    package_folders = {posixpath.dirname(path) for path in sources}
    for old, new in comparison.changes.moved.items():
        is_abandoned = posixpath.dirname(old) not in package_folders
        is_package = posixpath.dirname(new) in package_folders
        if old.endswith("_test.go") and is_abandoned and is_package:
            yield old, new


def _pair_tests(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield the paths of tests to compare: edited ones, and each removed with each added one."""
    changes = comparison.changes
    for path in changes.edited:
        if comparison.role(path) == "test" or _has_inline_tests(comparison.old, path):
            yield path, path
    removed, added = (
        [path for path in paths if comparison.role(path) == "test"]
        for paths in (changes.removed, changes.added)
    )
    for old, new in product(removed, added):
        if language_of_tests(old) == language_of_tests(new):
            yield old, new


def _has_inline_tests(tree: Tree, path: str) -> bool:
    """Say whether a Rust file contains tests and no examples in comments.

    Such examples are tests too, which `extract_inline_tests` does not see.
    """
    text = tree.text(path) if path.endswith(".rs") else ""
    return "```" not in text and bool(extract_inline_tests(text))


def _is_renamed_only(comparison: Comparison, old: str, new: str, names: NameChanges) -> bool:
    """Say whether the test file `new` is `old` with other names, in the same or a new folder."""
    old_text, new_text = _read_tests(comparison.old, old), _read_tests(comparison.new, new)
    if _list_lines(old_text) == _list_lines(new_text):
        # No name differs: the file only moved, or a Rust file changed outside of its tests.
        return False
    moved_text = move_to_package(comparison, old, new)
    if moved_text is not None and _list_lines(moved_text) == _list_lines(new_text):
        return True
    if only_adds_arguments(old_text, new_text, comparison.fact(find_grown_functions)):
        return True
    # A test in another folder imports the same modules by other relative paths.
    return _differ_by_names(
        _resolve_relative_paths(old, old_text), _resolve_relative_paths(new, new_text), names
    )


def _read_tests(tree: Tree, path: str) -> str:
    """Return the text of a test file, or of the tests alone in a Rust file of the product."""
    is_product = path.endswith(".rs") and classify_file(path) != "test"
    return extract_inline_tests(tree.text(path)) if is_product else tree.text(path)


def _resolve_relative_paths(path: str, text: str) -> str:
    """Return the text of the file `path` with quoted relative paths from the project's top."""

    def resolve(match: re.Match[str]) -> str:
        quote, relative = match[1], match[2]
        resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))
        return f"{quote}{resolved}{quote}"

    return _RELATIVE_PATH.sub(resolve, text)


def _list_lines(text: str) -> list[str]:
    """Return the lines that are not blank."""
    return [line for line in text.splitlines() if line.strip()]


def _differ_by_names(old_text: str, new_text: str, names: NameChanges) -> bool:
    """Say whether each differing line imports a moved module, or has a renamed name at its place.

    Each removed name has to become one added name everywhere, and no two become the same.
    """
    old_lines, new_lines = _list_lines(old_text), _list_lines(new_text)
    if len(old_lines) != len(new_lines):
        return False
    renames: set[tuple[str, str]] = set()
    for old_line, new_line in zip(old_lines, new_lines, strict=True):
        if old_line == new_line or _is_moved_import(old_line, new_line, names):
            continue
        old_parts, new_parts = WORD_OR_REST.findall(old_line), WORD_OR_REST.findall(new_line)
        if len(old_parts) != len(new_parts):
            return False
        pairs = zip(old_parts, new_parts, strict=True)
        renames |= {(old, new) for old, new in pairs if old != new}
    old_names, new_names = {old for old, _ in renames}, {new for _, new in renames}
    is_one_to_one = len(old_names) == len(new_names) == len(renames)
    return is_one_to_one and old_names <= names.removed and new_names <= names.added


def _is_moved_import(old_line: str, new_line: str, names: NameChanges) -> bool:
    """Say whether both lines are imports, and the old one names a module whose file moved.

    The new line may add nothing but current modules: `from shop.cart import total` may become
    `from shop.prices.cart import total`.
    """
    if not _IMPORT_LINE.match(old_line) or not _IMPORT_LINE.match(new_line):
        return False
    old_tokens, new_tokens = set(_TOKEN.findall(old_line)), set(_TOKEN.findall(new_line))
    known = names.current_modules | _PATH_CHARACTERS
    return bool(old_tokens & names.moved_modules) and new_tokens - old_tokens <= known
