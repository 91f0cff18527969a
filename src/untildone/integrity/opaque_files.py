"""Changed files of the product that no comparison reads, such as a binary table.

None of them is a concern by itself: `experiments/opaque_files.py` finds out by a run whether a test
passes only with one. Files that the task or the baseline's tests name were asked for.
"""

import codecs
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.answer_files import holds_answers
from untildone.integrity.hard_coded.literals import READ_LANGUAGES, detect_language
from untildone.syntax.languages import language_of
from untildone.words import words
from untildone.worktree.contents import Tree

# Suffixes of programs that an interpreter starts, and that are not read as syntax.
_PROGRAMS = words("sh bash zsh ksh fish awk sed pl pm rb php lua tcl r jl bat cmd ps1 exs")
_HEAD_BYTES = 65_536


def find_opaque_files(comparison: Comparison) -> dict[str, str]:
    """Return by path why nobody reads the file, as a verb phrase: "is binary"."""
    return {
        path: why
        for path in comparison.changes.edited_or_added
        if comparison.role(path) in ("product", "document")
        and (why := _describe(comparison, path))
        and not _is_asked_for(comparison, path)
    }


def _describe(comparison: Comparison, path: str) -> str:
    """Return why the file is not read; empty if it is, or if it can hold no answers of tests."""
    new = comparison.new
    if new.entries[path].kind == "link":
        return "" if _leads_into_tree(new, path) else "leads out of the project"
    if path in comparison.unread:
        return comparison.unread[path]
    if is_binary(new, path):
        return "is binary"
    if detect_language(path) in READ_LANGUAGES:
        return ""
    if _is_foreign_program(comparison, path):
        return "is a program in another language"
    is_read = comparison.role(path) == "product" or _is_named_by_product(comparison, path)
    return "holds values that tests expect" if is_read and holds_answers(comparison, path) else ""


def _leads_into_tree(tree: Tree, path: str) -> bool:
    """Say whether the link leads to a file of the tree or a folder with such files."""
    if tree.follow_link(path):
        return True
    root, target = tree.root.resolve(), (tree.root / path).resolve()
    if not target.is_relative_to(root):
        return False
    folder = target.relative_to(root).as_posix()
    return any(other.startswith(f"{folder}/") for other in tree)


def is_binary(tree: Tree, path: str) -> bool:
    """Say whether the beginning of the file is no text in UTF-8."""
    try:
        with (tree.root / path).open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return False
    # The last character may be cut off, which such a decoder allows.
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(head)
    except UnicodeDecodeError:
        return True
    return b"\0" in head


def _is_foreign_program(comparison: Comparison, path: str) -> bool:
    """Say whether it is a script in a language that the baseline's tests are not written in."""
    language = _name_language(comparison.new, path)
    if not language:
        return False
    tests = (other for other in comparison.old if comparison.role(other) == "test")
    return all(_name_language(comparison.old, other) != language for other in tests)


def _name_language(tree: Tree, path: str) -> str:
    """Return the language of a script, or its suffix; empty if it is no script."""
    suffix = PurePosixPath(path).suffix.removeprefix(".").lower()
    if suffix in _PROGRAMS:
        return language_of(path) or suffix
    text = tree.text(path)
    return (language_of(path, text) or "program") if text.startswith("#!") else ""


def _is_named_by_product(comparison: Comparison, path: str) -> bool:
    """Say whether code of the product has the file's name without its suffix."""
    stem = PurePosixPath(path).stem
    code = (
        other
        for other in comparison.changes.edited_or_added
        if comparison.role(other) == "product" and language_of(other)
    )
    return any(stem in comparison.new.text(other) for other in code)


def _is_asked_for(comparison: Comparison, path: str) -> bool:
    """Say whether the task or a test of the baseline has the file's name with its suffix."""
    name = PurePosixPath(path).name
    if "." not in name.strip("."):
        return False
    is_named = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])").search
    return any(map(is_named, _list_requests(comparison)))


def _list_requests(comparison: Comparison) -> Iterator[str]:
    """Yield the task and the texts of the baseline's tests."""
    yield comparison.task
    yield from (
        comparison.old.text(other) for other in comparison.old if comparison.role(other) == "test"
    )
