"""Literals of source files in one form for all languages, and which occur together.

`"abc"`, `'abc'` and a template string without holes are all `'abc'`; 1_000, 1000.0 and 1e3 are
`1000`. Literals of one assertion, call or row belong together.
"""

import re
from collections.abc import Iterator
from itertools import chain, permutations

from ast_grep_py import SgNode

from untildone.syntax.languages import language_of
from untildone.syntax.parsing import find_kinds, parse_file, parse_source
from untildone.words import words
from untildone.worktree.contents import Tree

_LITERAL_KINDS = words("""
    integer float number int_literal float_literal integer_literal decimal_integer_literal
    decimal_floating_point_literal number_literal string string_literal interpreted_string_literal
    raw_string_literal template_string unary_operator unary_expression real_literal true false none
    null nil True False boolean_literal
""")
_GROUP_KINDS = (
    *("assert_statement", "call", "call_expression", "method_invocation", "macro_invocation"),
    *("tuple", "list", "array", "literal_value", "tuple_expression", "array_expression"),
    *("if_statement", "pair", "dictionary", "object", "array_initializer", "initializer_list"),
)
_MAX_LITERALS_IN_GROUP = 12
_CONTAINER_KINDS = (
    *("tuple", "list", "array", "literal_value", "dictionary", "object", "tuple_expression"),
    *("array_expression", "array_initializer", "initializer_list", "pair"),
)
_BODY_KINDS = ("statement_block", "block", "func_literal", "lambda_expression", "lambda")
NUMBER = re.compile(
    r"[+-]?\s*(0[xX][0-9a-fA-F_]+|[\d_]+(\.[\d_]*)?([eE][+-]?\d+)?)(_?[iuf]\d+|[lLfFdDnuU])*"
)
_QUOTED = re.compile(r"^[rRbBuUfF]{0,2}(\"\"\"|'''|[\"'`])(.*)\1$", re.DOTALL)


def normalize_literal(text: str) -> str | None:
    """Return a number, text or boolean in the same form for every language; None for others."""
    plain = text.strip()
    if quoted := _QUOTED.match(plain):
        return f"'{quoted[2]}'"
    if NUMBER.fullmatch(plain):
        return normalize_number(plain)
    return {"true": "true", "false": "false"}.get(plain.lower())


def normalize_number(text: str) -> str:
    """Return the number without signs of its language: 3_600u64 and 0xE10 are 3600."""
    bare = re.sub(r"[\s_]", "", text)
    try:
        value = (
            float(int(bare, 16))
            if "x" in bare.lower()
            else float(re.sub(r"([iuf]\d+|[a-zA-Z]+)$", "", bare))
        )
    except (ValueError, OverflowError):
        return bare
    return f"{value:g}" if abs(value) < 1e15 else bare


def detect_language(path: str) -> str:
    """Return the language of the file, which may be JSON."""
    return "json" if path.endswith(".json") else language_of(path)


def parse_with_json(tree: Tree, path: str) -> SgNode:
    """Return the root of a source or JSON file. Use as a tree's fact."""
    root = None if path.endswith(".json") else tree.fact(parse_file, path)
    return parse_source(tree.text(path), detect_language(path)) if root is None else root


def find_literal_pairs(
    tree: Tree, path: str, wanted: frozenset[str]
) -> Iterator[frozenset[tuple[str, str]]]:
    """Yield the literal pairs of each assertion, call and row that has a wanted literal."""
    for node in find_kinds(tree.fact(parse_with_json, path), _GROUP_KINDS):
        parts = [node]
        if node.kind() == "if_statement":
            # The body is not compared with anything.
            fields = (node.field(name) for name in ("initializer", "condition"))
            parts = [part for part in fields if part is not None]
        literals = tuple(dict.fromkeys(chain.from_iterable(map(list_literals_below, parts))))
        is_wanted = not wanted.isdisjoint(literals) and len(literals) > 1
        if is_wanted and len(literals) <= _MAX_LITERALS_IN_GROUP:
            has_body = any(True for part in parts for _ in find_kinds(part, _BODY_KINDS))
            if not has_body and not _holds_rows(node):
                yield frozenset(permutations(literals, 2))


def _holds_rows(node: SgNode) -> bool:
    """Whether the node has several rows: literals of different rows do not belong together."""
    rows = (row for row in find_kinds(node, _CONTAINER_KINDS) if row != node)
    return sum(len(list_literals_below(row)) > 1 for row in rows) > 1


def list_literals_below(node: SgNode) -> list[str]:
    """Return the first literals in the order of the text; a sign belongs to its number."""
    found: list[str] = []
    waiting = [node]
    while waiting and len(found) <= _MAX_LITERALS_IN_GROUP:
        each = waiting.pop()
        value = normalize_literal(each.text()) if each.kind() in _LITERAL_KINDS else None
        if value is not None:
            found.append(value)
        else:
            waiting += reversed(each.children())
    return found


def list_literals(root: SgNode, *, docstrings: bool = True) -> Iterator[str]:
    """Yield all literals, and the single words of texts; without `docstrings` not those."""
    for node in find_kinds(root, sorted(_LITERAL_KINDS)):
        value = normalize_literal(node.text())
        above = node.parent()
        is_docstring = above is not None and above.kind() == "expression_statement"
        if value is not None and (docstrings or not is_docstring):
            yield value
            parts = re.findall(r"[\w.]+", value) if value.startswith("'") else []
            yield from (normalize_literal(part) or f"'{part}'" for part in parts)
