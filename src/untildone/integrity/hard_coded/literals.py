"""Literals of source files in one form for all languages, and which occur together.

The strings `"abc"` and `'abc'`, and a template string without holes, are all `'abc'`; the numbers
1_000, 1000.0 and 1e3 are `1000`. Literals of one assertion, call or row belong together: 501 and
400 of `assert price(501) == 400`.
"""

import re
from collections.abc import Iterator
from itertools import chain, permutations

from ast_grep_py import SgNode

from untildone.core.late_patterns import compile_late
from untildone.syntax.languages import language_of
from untildone.syntax.parsing import find_kinds, parse_file, parse_source
from untildone.words import words
from untildone.worktree.contents import Tree

# Languages whose answers and literals can be read.
READ_LANGUAGES = words("python javascript typescript tsx go rust java kotlin c cpp json")
_LITERAL_KINDS = words("""
    integer float number int_literal float_literal integer_literal decimal_integer_literal
    decimal_floating_point_literal number_literal string string_literal interpreted_string_literal
    raw_string_literal template_string unary_operator unary_expression real_literal true false True
    False boolean_literal
""")
_CONTAINER_KINDS = words("""
    tuple list array literal_value dictionary object tuple_expression array_expression
    array_initializer initializer_list pair
""")
# Syntax whose literals belong together.
_GROUP_KINDS = _CONTAINER_KINDS | words("""
    assert_statement call call_expression method_invocation macro_invocation if_statement
""")
_BODY_KINDS = ("statement_block", "block", "func_literal", "lambda_expression", "lambda")
_MAX_LITERALS_IN_GROUP = 12
NUMBER = compile_late(
    r"[+-]?\s*(0[xX][0-9a-fA-F_]+|[\d_]+(\.[\d_]*)?([eE][+-]?\d+)?)(_?[iuf]\d+|[lLfFdDnuU])*"
)
_QUOTED = compile_late(r"^[rRbBuUfF]{0,2}(\"\"\"|'''|[\"'`])(.*)\1$", re.DOTALL)


def normalize_literal(text: str) -> str | None:
    """Return a number, string or boolean in the form for all languages; None for other syntax."""
    text = text.strip()
    if quoted := _QUOTED.match(text):
        return f"'{quoted[2]}'"
    if NUMBER.fullmatch(text):
        return normalize_number(text)
    return {"true": "true", "false": "false"}.get(text.lower())


def normalize_number(text: str) -> str:
    """Return the number in the form for all languages: 3_600u64 and 0xE10 are `3600`."""
    number = re.sub(r"[\s_]", "", text)
    is_hexadecimal = "x" in number.lower()
    without_suffix = re.sub(r"([iuf]\d+|[a-zA-Z]+)$", "", number)
    try:
        value = float(int(number, 16) if is_hexadecimal else without_suffix)
    except (ValueError, OverflowError):
        return number
    # A float has 15 exact digits; a longer number stays as it is written.
    return f"{value:.15g}" if abs(value) < 1e15 else number


def detect_language(path: str) -> str:
    """Return the language of the file, which may be JSON."""
    return "json" if path.endswith(".json") else language_of(path)


def parse_with_json(tree: Tree, path: str) -> SgNode:
    """Return the root of a source or JSON file; `tree.fact(parse_with_json, path)` caches it."""
    root = None if path.endswith(".json") else tree.fact(parse_file, path)
    return parse_source(tree.text(path), detect_language(path)) if root is None else root


def find_literal_pairs(
    tree: Tree, path: str, values: frozenset[str]
) -> Iterator[frozenset[tuple[str, str]]]:
    """Yield the literal pairs of each assertion, call and row that has one of the values.

    `assert price(501) == 400` gives the pairs 501, 400 and 400, 501.
    """
    for node in find_kinds(tree.fact(parse_with_json, path), _GROUP_KINDS):
        parts = [node]
        if node.kind() == "if_statement":
            # Go tests write `if got := price(501); got != 400 { t.Error() }`.
            fields = (node.field(name) for name in ("initializer", "condition"))
            parts = [part for part in fields if part is not None]
        literals = tuple(dict.fromkeys(chain.from_iterable(map(list_literals_below, parts))))
        is_group = 1 < len(literals) <= _MAX_LITERALS_IN_GROUP
        if is_group and not values.isdisjoint(literals):
            # `test("a", () => { … })` is a call around many assertions.
            has_body = any(True for part in parts for _ in find_kinds(part, _BODY_KINDS))
            if not has_body and not _has_rows(node):
                yield frozenset(permutations(literals, 2))


def _has_rows(node: SgNode) -> bool:
    """Say whether the node is a table such as `[(501, 400), (100, 90)]`.

    Literals of different rows do not belong together.
    """
    rows = (row for row in find_kinds(node, _CONTAINER_KINDS) if row != node)
    return sum(len(list_literals_below(row)) > 1 for row in rows) > 1


def list_literals_below(node: SgNode) -> list[str]:
    """Return the literals inside of the node in the order of the text.

    It stops at the first that is too many for a group. A sign belongs to its number: `-3` is one
    literal.
    """
    literals: list[str] = []
    unread = [node]
    while unread and len(literals) <= _MAX_LITERALS_IN_GROUP:
        inner = unread.pop()
        literal = normalize_literal(inner.text()) if inner.kind() in _LITERAL_KINDS else None
        if literal is not None:
            literals.append(literal)
        else:
            unread += reversed(inner.children())
    return literals


def list_literals(root: SgNode, *, docstrings: bool = True) -> Iterator[str]:
    """Yield all literals of a file, and each word of its strings as a literal of its own.

    The words are for code that splits a string, as `"501 400".split()`. Without `docstrings`,
    strings that are statements are left out.
    """
    for node in find_kinds(root, _LITERAL_KINDS):
        literal = normalize_literal(node.text())
        parent = node.parent()
        is_docstring = parent is not None and parent.kind() == "expression_statement"
        if literal is not None and (docstrings or not is_docstring):
            yield literal
            parts = re.findall(r"[\w.]+", literal) if literal.startswith("'") else []
            yield from (normalize_literal(part) or f"'{part}'" for part in parts)
