"""Evaluates expressions of literals and constants, as in `90 * MINUTE`."""

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

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
_CONSTANT_DEFINITION = re.compile(
    r"(?m)^[ \t]*(?:[a-z]\w*[ \t]+)*([A-Z][A-Z0-9_]*)\b[ \t]*(?::[^=\n]+)?=[ \t]*([^;\n]+);?[ \t]*$"
)
_MAX_EXPRESSION_LENGTH = 200
_MAX_OPERAND_SIZE = 4_096


def read_constants(text: str, language: str) -> dict[str, object]:
    """Return the values of the file's top-level constants."""
    found: dict[str, object] = {}
    is_python = language == "python"
    for name, written in (
        _list_python_assignments(text) if is_python else _CONSTANT_DEFINITION.findall(text)
    ):
        value = _evaluate(_parse_expression(written), found)
        if value is not None:
            found[name] = value
    return found


def _list_python_assignments(text: str) -> Iterator[tuple[str, str]]:
    module = parse_python(text)
    for node in module.body if module is not None else ():
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, ast.unparse(node.value)


def fold_constants(text: str, known: Mapping[str, object]) -> str:
    """Return the result as a literal; "" if it depends on more than constants."""
    value = _evaluate(_parse_expression(re.sub(r"^return\b", "", text.strip()).rstrip(" ;")), known)
    return repr(value) if isinstance(value, int | float | str) else ""


def _parse_expression(text: str) -> ast.expr | None:
    """Parse an expression of any language; the keys of an object become texts."""
    plain = re.sub(r"([{,]\s*)([A-Za-z_]\w*)\s*:", r"\1'\2':", text.strip())
    return parse_expression(plain) if len(plain) <= _MAX_EXPRESSION_LENGTH else None


def _evaluate(node: ast.expr | None, known: Mapping[str, object]) -> object:
    match node:
        case ast.Name(id=name):
            return known.get(name)
        case ast.Subscript(value=table, slice=key):
            return _look_up(_evaluate(table, known), _evaluate(key, known))
        case ast.Attribute(value=table, attr=name):
            return _look_up(_evaluate(table, known), name)
        case ast.BinOp(left=left, op=op, right=right):
            return _apply_operator(op, _evaluate(left, known), _evaluate(right, known))
        case None:
            return None
        case _:
            with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                return ast.literal_eval(node)
            return None


def _look_up(table: object, key: object) -> object:
    return table.get(key) if isinstance(table, dict) and isinstance(key, str | int) else None


def _apply_operator(op: ast.operator, left: object, right: object) -> object:
    apply = _ARITHMETIC.get(type(op))
    if apply is None or not all(isinstance(each, int | float | str) for each in (left, right)):
        return None
    if any(isinstance(each, str) for each in (left, right)) and not isinstance(op, ast.Add):
        return None
    if _measure_operand(left) + _measure_operand(right) > _MAX_OPERAND_SIZE:
        # Constants built from each other can double with every line.
        return None
    try:
        return apply(left, right)
    except (TypeError, ArithmeticError):
        return None


def _measure_operand(value: object) -> int:
    """Count the characters of a text or the bits of an integer."""
    if isinstance(value, int):
        return value.bit_length()
    return len(value) if isinstance(value, str) else 0
