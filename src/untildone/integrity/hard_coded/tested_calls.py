"""Reads from Python tests with which arguments they call functions.

A test gives the calls `price(100)` and `price(200)` by `assert price(100) == 90`, and by
`assert price(total) == 180` with `@pytest.mark.parametrize("total", [200])`.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

from untildone.integrity.hard_coded.constant_folding import evaluate_literal
from untildone.syntax.parsing import parse_python

# The beginning of an argument that may be a literal, or of a comment before it.
_LITERAL_ARGUMENT = r"\s*(?:[-+.\d(#\\]|True|False|[rRuUbBfF]{0,2}[\"'])"
# The cells of a row of `parametrize` by the names of the arguments.
_Row: TypeAlias = dict[str, ast.expr]


class FunctionCall(NamedTuple):
    """A call such as `price(100)`, with the values of the arguments."""

    function: str
    arguments: tuple[object, ...]


def list_calls(text: str, functions: Sequence[str]) -> Iterator[FunctionCall]:
    """Yield calls of the functions whose arguments are literals or `parametrize` values."""
    names = frozenset(name for name in functions if f"{name}(" in text)
    # Parsing is slow: a text without such a call is skipped.
    literal_call = rf"\b(?:{'|'.join(names)})\({_LITERAL_ARGUMENT}"
    if not names or ("parametrize" not in text and not re.search(literal_call, text)):
        return
    module = parse_python(text)
    if module is None:
        return
    # Calls in the module have no row; calls in a test are read once for each row of it.
    scopes: list[tuple[ast.AST, list[_Row]]] = [(module, [{}])]
    tests = (node for node in ast.walk(module) if isinstance(node, ast.FunctionDef))
    scopes += ((test, list(_list_rows(test))) for test in tests)
    for scope, rows in scopes:
        calls = list(_find_calls(scope, names)) if rows else []
        for row, (name, call) in product(rows, calls):
            values = [
                # A name may be an argument that `parametrize` gives.
                _read_value(row.get(getattr(argument, "id", ""), argument))
                for argument in call.args
            ]
            if None not in values:
                yield FunctionCall(name, tuple(values))


def _find_calls(scope: ast.AST, names: frozenset[str]) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls of the functions that have positional arguments only."""
    for node in ast.walk(scope):
        if isinstance(node, ast.Call) and node.args and not node.keywords:
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in names:
                yield name, node


def _list_rows(test: ast.FunctionDef) -> Iterator[_Row]:
    """Yield the rows of the test's `parametrize` decorators."""
    for decorator in test.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[names, ast.List(rows)]):
                labels = re.findall(r"\w+", ast.unparse(names))
                yield from (dict(zip(labels, _list_cells(row), strict=False)) for row in rows)
            case _:
                continue


def _list_cells(row: ast.expr) -> list[ast.expr]:
    """Return the cells of `(200, 180)` or `pytest.param(200, 180)`; another row is one cell."""
    match row:
        case ast.Call(args=cells) | ast.Tuple(cells) | ast.List(cells):
            return cells
        case _:
            return [row]


def _read_value(node: ast.expr) -> object:
    """Return the number or string of a literal; None for another expression."""
    value = evaluate_literal(node)
    return value if isinstance(value, int | float | str) else None
