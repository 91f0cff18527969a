"""Changed test files without the tests that are the same in both trees.

One edited test in a file of a hundred needs one test to run on the baseline's code, not a hundred.
The lines keep their numbers.
"""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.tests.same_tests import find_same_tests
from untildone.worktree.contents import Tree

_WORD = compile_late(r"\w+")
# Stands for bytes that are no UTF-8; such a file cannot be written as it was.
_UNDECODABLE = "\ufffd"


def write_differing_tests(comparison: Comparison, paths: Iterable[str]) -> dict[str, str]:
    """Return the texts of those of the files that have tests to leave out.

    A test stays if a command mentions its name, or another of the files that may use it.
    """
    paths = tuple(paths)
    old, new = comparison.trees
    in_commands = {word for command in comparison.commands for word in _WORD.findall(command)}
    texts: dict[str, str] = {}
    for path in paths:
        is_changed = old.entries.get(path) != new.entries.get(path)
        if not is_changed or not (same := find_same_tests(comparison, path)):
            continue
        text = new.text(path)
        if _UNDECODABLE in text:
            continue
        mentioned = in_commands.union(_list_words_of_users(new, path, paths))
        for name, place in sorted(same.items(), key=lambda item: item[1], reverse=True):
            if name not in mentioned:
                instead = _leave_out(name, text[place.start : place.end], path)
                text = text[: place.start] + instead + text[place.end :]
        texts[path] = text
    return texts


def _list_words_of_users(tree: Tree, path: str, others: Iterable[str]) -> Iterator[str]:
    """Yield the words of other files that can use what this one defines.

    In Go these are those of its folder, and everywhere those that mention its name.
    """
    folder, name = path.rpartition("/")[0], PurePosixPath(path)
    for other in others:
        if other != path:
            words = tree.fact(_list_words, other)
            is_of_package = name.suffix == ".go" and other.rpartition("/")[0] == folder
            if is_of_package or name.stem in words:
                yield from words


def _list_words(tree: Tree, path: str) -> frozenset[str]:
    """Return the words of a file. Use as a tree's fact."""
    return frozenset(_WORD.findall(tree.text(path)))


def _leave_out(name: str, test: str, path: str) -> str:
    """Return what replaces a test: in Go a function that does not run, elsewhere empty lines.

    Without the function its imports might be unused, and Go would not build the file.
    """
    if path.endswith(".go"):
        return test.replace(name, f"leftOut{name}", 1)
    return "\n" * test.count("\n")
