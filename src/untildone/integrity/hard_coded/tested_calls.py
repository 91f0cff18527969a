"""Calls of functions in Python tests whose arguments are known: `price(100)`, rows of a table."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

from untildone.syntax.parsing import parse_python

# The beginning of a literal argument, or of a comment before it.
_LITERAL_ARGUMENT = r"\s*(?:[-+.\d(#\\]|True|False|[rRuUbBfF]{0,2}[\"'])"
# The cells of a row of `parametrize` by the names of the arguments.
_Row: TypeAlias = dict[str, ast.expr]


class FunctionCall(NamedTuple):
    function: str
    arguments: tuple[object, ...]


def list_calls(text: str, functions: Sequence[str]) -> Iterator[FunctionCall]:
    """Yield calls of the functions whose arguments are literals or `parametrize` values."""
    names = frozenset(name for name in functions if f"{name}(" in text)
    literal_call = rf"\b(?:{'|'.join(names)})\({_LITERAL_ARGUMENT}"
    if not names or ("parametrize" not in text and not re.search(literal_call, text)):
        return
    module = parse_python(text)
    if module is None:
        return
    scopes: list[tuple[ast.AST, list[_Row]]] = [(module, [{}])]
    tests = (node for node in ast.walk(module) if isinstance(node, ast.FunctionDef))
    scopes += ((test, list(_list_rows(test))) for test in tests)
    for scope, rows in scopes:
        calls = list(_find_calls(scope, names)) if rows else []
        for row, (name, call) in product(rows, calls):
            values = [_evaluate(row.get(getattr(each, "id", ""), each)) for each in call.args]
            if None not in values:
                yield FunctionCall(name, tuple(values))


def _find_calls(scope: ast.AST, names: frozenset[str]) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(scope):
        if isinstance(node, ast.Call) and node.args and not node.keywords:
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in names:
                yield name, node


def _list_rows(test: ast.FunctionDef) -> Iterator[_Row]:
    """Yield the rows of `parametrize`, each with its argument names."""
    for decorator in test.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[heads, ast.List(rows)]):
                labels = re.findall(r"\w+", ast.unparse(heads))
                yield from (dict(zip(labels, _list_cells(row), strict=False)) for row in rows)
            case _:
                continue


def _list_cells(row: ast.expr) -> list[ast.expr]:
    match row:
        case ast.Call(args=cells) | ast.Tuple(cells) | ast.List(cells):
            return cells
        case _:
            return [row]


def _evaluate(node: ast.expr) -> object:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, int | float | str) else None


def list_constants(module: ast.Module | None) -> list[object]:
    """Return the numbers and texts of a product module: inputs worth trying on its functions.

    Its table of answers, if it has one, lists them.
    """
    found = ast.walk(module) if module is not None else ()
    values = (node.value for node in found if isinstance(node, ast.Constant))
    # Zero is what a remainder is compared with, hardly ever an entry of a table.
    return [
        *dict.fromkeys(value for value in values if value and isinstance(value, int | float | str))
    ]
