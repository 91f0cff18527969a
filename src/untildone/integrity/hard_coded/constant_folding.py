"""Evaluates expressions that consist of literals and of the constants of their file.

With the line `MINUTE = 60` in the file, `return 90 * MINUTE` gives the literal `5400`, and
`UNITS.h` gives `3600` with `const UNITS = { s: 1, h: 3600 };`. No code is run.
"""

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from untildone.core.late_patterns import compile_late
from untildone.syntax.parsing import parse_expression, parse_python

_ARITHMETIC: dict[type[ast.operator], Callable[..., object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
# const HOUR = 3600;  pub const HOUR: u64 = 60 * 60;  static final int HOUR = 3600;
_CONSTANT_DEFINITION = compile_late(
    r"(?m)^[ \t]*(?:[a-z]\w*[ \t]+)*([A-Z][A-Z0-9_]*)\b[ \t]*(?::[^=\n]+)?=[ \t]*([^;\n]+);?[ \t]*$"
)
_OPERAND = (int, float, str)
_MAX_EXPRESSION_LENGTH = 200
# Without a limit, constants built from each other, `B = A + A` and `C = B + B`, double each time.
_MAX_OPERANDS_LENGTH = 4_096


def evaluate_literal(node: ast.expr) -> object:
    """Return the value of a literal; None for another expression."""
    with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ast.literal_eval(node)
    return None


def read_constants(text: str, language: str) -> dict[str, object]:
    """Return the values of the constants that a file defines, by name."""
    # A constant may use those above it: `HOUR = 60 * MINUTE`.
    constants: dict[str, object] = {}
    is_python = language == "python"
    definitions = _list_assignments(text) if is_python else _CONSTANT_DEFINITION.findall(text)
    for name, expression in definitions:
        value = _evaluate(_parse_expression(expression), constants)
        if value is not None:
            constants[name] = value
    return constants


def _list_assignments(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the expression of each assignment at the top of a Python module."""
    module = parse_python(text)
    for node in module.body if module is not None else ():
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, ast.unparse(node.value)


def fold_constants(text: str, constants: Mapping[str, object]) -> str:
    """Return the value of an expression or `return` statement as a literal; "" if it is unknown."""
    expression = re.sub(r"^return\b", "", text.strip()).rstrip(" ;")
    value = _evaluate(_parse_expression(expression), constants)
    return repr(value) if isinstance(value, int | float | str) else ""


def _parse_expression(text: str) -> ast.expr | None:
    """Parse an expression of any language as Python; None if it is too long or has other syntax."""
    # JavaScript's `{ s: 1 }` is read as `{ 's': 1 }`.
    with_quoted_keys = re.sub(r"([{,]\s*)([A-Za-z_]\w*)\s*:", r"\1'\2':", text.strip())
    is_short = len(with_quoted_keys) <= _MAX_EXPRESSION_LENGTH
    return parse_expression(with_quoted_keys) if is_short else None


def _evaluate(node: ast.expr | None, constants: Mapping[str, object]) -> object:
    """Return the value of an expression; None if it is unknown."""
    match node:
        case ast.Name(id=name):
            return constants.get(name)
        case ast.Subscript(value=table, slice=key):
            return _look_up(_evaluate(table, constants), _evaluate(key, constants))
        case ast.Attribute(value=table, attr=name):
            # JavaScript's `UNITS.h` is an entry of the table `UNITS`.
            return _look_up(_evaluate(table, constants), name)
        case ast.BinOp(left=left, op=op, right=right):
            return _calculate(_evaluate(left, constants), op, _evaluate(right, constants))
        case _:
            return None if node is None else evaluate_literal(node)


def _look_up(table: object, key: object) -> object:
    """Return the entry of a dictionary; None if there is none, or for another kind of table."""
    return table.get(key) if isinstance(table, dict) and isinstance(key, str | int) else None


def _calculate(left: object, op: ast.operator, right: object) -> object:
    """Return the result of a calculation; None if an operand is unknown or the result too large."""
    apply = _ARITHMETIC.get(type(op))
    if apply is None or not (isinstance(left, _OPERAND) and isinstance(right, _OPERAND)):
        return None
    has_string = isinstance(left, str) or isinstance(right, str)
    is_too_long = len(str(left)) + len(str(right)) > _MAX_OPERANDS_LENGTH
    # "ab" * 3 and "%s" % name are no arithmetic.
    if is_too_long or (has_string and not isinstance(op, ast.Add)):
        return None
    try:
        return apply(left, right)
    except (TypeError, ArithmeticError):
        return None
