"""Source text as a syntax tree, of ast-grep or of Python; each parser reads a text at most once.

Most files are the same in both trees of a comparison, so what is parsed is kept by its text.
"""

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ast_grep_py import SgNode, SgRoot

from untildone.syntax.languages import language_of
from untildone.worktree.contents import Tree
from untildone.worktree.limits import PYTHON_MEGABYTES, SYNTAX_MEGABYTES, reserve

COMMENTS = frozenset(("comment", "line_comment", "block_comment"))
_MAX_KEPT = 4_096
# The body of a loop in a test is evaluated once for each row of its table.
_MAX_KEPT_PARTS = 16_384


@lru_cache(maxsize=_MAX_KEPT)
def parse_source(text: str, language: str) -> SgNode:
    """Return the root of a text in a language of `languages.py`."""
    reserve(text, per_token=SYNTAX_MEGABYTES)
    return SgRoot(text, language).root()


def parse_file(tree: Tree, path: str) -> SgNode | None:
    """Return the root of the file; None if no parser knows its language. Use as a tree's fact."""
    text = tree.text(path)
    language = language_of(path, text)
    return parse_source(text, language) if language else None


def find_kinds(root: SgNode, kinds: Iterable[str]) -> Iterator[SgNode]:
    """Yield the nodes of these kinds; a kind that this grammar does not have is found nowhere."""
    for kind in select_known_kinds(root.get_root(), tuple(kinds)):
        yield from root.find_all(kind=kind)


@lru_cache(maxsize=_MAX_KEPT)
def select_known_kinds(root: SgRoot, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of the kinds that the grammar of this file has.

    To ask for another one is an error, which takes long where Rust records backtraces.
    """
    return tuple(kind for kind in kinds if _is_known(root, kind))


def _is_known(root: SgRoot, kind: str) -> bool:
    try:
        root.root().matches(kind=kind)
    except RuntimeError:
        return False
    return True


@lru_cache(maxsize=_MAX_KEPT_PARTS)
def read_parts(node: SgNode) -> tuple[tuple[SgNode, ...], int]:
    """Return the named children without comments, and how many children there are in all."""
    children = node.children()
    named = (child for child in children if child.is_named() and child.kind() not in COMMENTS)
    return tuple(named), len(children)


@lru_cache(maxsize=_MAX_KEPT)
def parse_python(text: str) -> ast.Module | None:
    """Return the module, or None if Python cannot parse it. It is shared: change only a copy."""
    reserve(text, per_token=PYTHON_MEGABYTES)
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parse_python_file(tree: Tree, path: str) -> ast.Module | None:
    """Return `parse_python` of the file. Use as a tree's fact."""
    return parse_python(tree.text(path))


def parse_expression(text: str) -> ast.expr | None:
    """Return the expression, or None if Python cannot parse it."""
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def forget_parsed() -> None:
    """Free the memory that parsed texts take, after a comparison."""
    parse_source.cache_clear()
    parse_python.cache_clear()
    select_known_kinds.cache_clear()
    read_parts.cache_clear()
