"""Source text as a syntax tree; of a file in a tree each parser runs at most once."""

import ast
from collections.abc import Iterable, Iterator

from ast_grep_py import SgNode, SgRoot

from untildone.syntax.languages import language_of
from untildone.worktree.contents import Tree


def parse_source(text: str, language: str) -> SgNode:
    return SgRoot(text, language).root()


def parse_file(tree: Tree, path: str) -> SgNode | None:
    """Return the root of the file; None if no parser knows its language. Use as a tree's fact."""
    text = tree.text(path)
    language = language_of(path, text)
    return parse_source(text, language) if language else None


def find_kinds(root: SgNode, kinds: Iterable[str]) -> Iterator[SgNode]:
    """Yield the nodes of these kinds; a kind that this grammar does not have is found nowhere."""
    for kind in kinds:
        try:
            yield from root.find_all(kind=kind)
        except RuntimeError:
            continue


def parse_python(text: str) -> ast.Module | None:
    """Return the module, or None if Python cannot parse it."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parse_python_file(tree: Tree, path: str) -> ast.Module | None:
    """Return `parse_python` of the file. Use as a tree's fact."""
    return parse_python(tree.text(path))
