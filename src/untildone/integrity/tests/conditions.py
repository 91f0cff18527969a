"""Reads the assertions made by a condition that must hold, as in `assert CONDITION`.

`f(1) == 2` asserts exactly 2, `abs(f(1) - 2) < 0.5` asserts 2 with a tolerance, `f(1) > 0` asserts
only a part of the outcome and `f(1)` hardly anything.
"""

import re
from collections.abc import Sequence

from ast_grep_py import SgNode
from msgspec.structs import replace

from untildone.integrity.tests.bindings import bind
from untildone.integrity.tests.evaluation import evaluate, evaluate_all
from untildone.integrity.tests.model import EXACT, PARTIAL, WEAK, Assertion
from untildone.integrity.tests.values import Value, Variables
from untildone.syntax import nodes
from untildone.words import words

_EQUALITY_CALLS = words("DeepEqual Equal equals isDeepStrictEqual array_equal is_deeply isEqual eq")
_TOLERANCE_KEYWORDS = words("abs rel abs_tol rel_tol delta atol rtol")
# A tolerance up to this only allows for rounding errors, so the assertion has none.
_ROUNDING_ERROR = 0.01
_EQUALS = ("==", "===", "is")
_DIFFERS = ("!=", "!==", "is not")
_AND = ("and", "&&")
_OR = ("or", "||")


def make_assertions(
    strength: int,
    actual: Value,
    expected: Value = Value(),  # noqa: B008  values are frozen
    *,
    tolerance: float = 0.0,
    negated: bool = False,
) -> list[Assertion]:
    """Return one assertion, or none if both sides are constant.

    `assert 1 == 1` holds whatever the product does.
    """
    calls = actual.calls | expected.calls
    if actual.known and expected.known and not calls:
        return []
    if actual.known and not expected.known:
        # `9 == price(10)`: the known side is the expected one.
        actual, expected = expected, actual
    # `f(1) != 2` must not pass for `f(1) > 2`.
    literals = (*expected.literals, "not") if negated else expected.literals
    tolerance = tolerance if tolerance > _ROUNDING_ERROR else 0.0
    return [Assertion(strength, actual.literals, literals, calls, tolerance)]


def read_condition(node: SgNode, variables: Variables, *, negated: bool = False) -> list[Assertion]:
    """Return the assertions made by requiring the expression to be true, or false if `negated`."""
    node = nodes.unwrap(node)
    kind, parts = node.kind(), nodes.list_parts(node)
    # `not f(1)` or `!f(1)`, but not `-f(1)`
    if kind in ("not_operator", "unary_expression") and node.text()[:1] in "n!":
        return read_condition(parts[-1], variables, negated=not negated)
    if kind in ("boolean_operator", "binary_expression") and _read_operator(node) in _AND + _OR:
        return _read_joined(node, variables, negated=negated)
    if kind in ("comparison_operator", "binary_expression") and len(parts) > 1:
        return _read_comparison(node, variables, negated=negated)
    if kind in nodes.CALLS:
        return _read_predicate(node, variables, negated=negated)
    # `assert (f(1) == 2, "message")` and `assert True` always hold.
    if kind == "tuple" or nodes.read_literal(node) is not None:
        return []
    return make_assertions(WEAK, evaluate(node, variables), negated=negated)


def _read_operator(node: SgNode) -> str:
    """Return `==` for `a == b` and `is not` for `a is not b`: the unnamed children."""
    return " ".join(child.text() for child in node.children() if not child.is_named())


def _read_joined(node: SgNode, variables: Variables, *, negated: bool) -> list[Assertion]:
    """Read `a and b` or `a or b`; `not (a or b)` requires both `not a` and `not b`."""
    sides = [read_condition(part, variables, negated=negated) for part in nodes.list_parts(node)]
    return _join_sides(sides, requires_all=(_read_operator(node) in _AND) != negated)


def _join_sides(sides: list[list[Assertion]], *, requires_all: bool) -> list[Assertion]:
    """Return the assertions of all sides, which are weak if one of the sides is enough."""
    assertions = [assertion for side in sides for assertion in side]
    if requires_all:
        return assertions
    # `f(1) == 2 or True` asserts nothing, because one side always holds.
    return [replace(one, strength=WEAK) for one in assertions] if all(sides) else []


def _read_comparison(node: SgNode, variables: Variables, *, negated: bool) -> list[Assertion]:
    """Read `a == b`, `a < b` and the like; Python's `0 < a < 9` means `0 < a and a < 9`."""
    operands = nodes.list_parts(node)
    operators = [child.text() for child in node.children() if not child.is_named()]
    sides = [
        _read_relation(left, operator, right, variables, negated=negated)
        for left, operator, right in zip(operands, operators, operands[1:], strict=False)
    ]
    return sides[0] if len(sides) == 1 else _join_sides(sides, requires_all=not negated)


def _read_relation(
    left: SgNode, operator: str, right: SgNode, variables: Variables, *, negated: bool
) -> list[Assertion]:
    """Read a comparison of two sides, such as `f(1) == 2`."""
    if not negated and (assertions := _read_distance(left, right, operator, variables)):
        return assertions
    actual, actual_tolerance = read_approximation(left, variables)
    expected, tolerance = read_approximation(right, variables)
    if operator in (_DIFFERS if negated else _EQUALS):
        tolerance = max(tolerance, actual_tolerance)
        return make_assertions(EXACT, actual, expected, tolerance=tolerance)
    differs = operator in (_EQUALS if negated else _DIFFERS)
    # `f(1) is not None` hardly asserts anything.
    if differs and "null" in (nodes.read_literal(nodes.unwrap(side)) for side in (left, right)):
        return make_assertions(WEAK, actual if actual.calls or not actual.known else expected)
    return make_assertions(PARTIAL, actual, expected, negated=differs or negated)


def _read_distance(
    left: SgNode, right: SgNode, operator: str, variables: Variables
) -> list[Assertion]:
    """Read `abs(a - b) < 0.001` or `(a - b).abs() < 0.001` as `a == b` with a tolerance.

    `abs(a + 3) < 0.001` expects -3. Other comparisons give no assertion here.
    """
    left, tolerances = nodes.unwrap(left), evaluate(right, variables).literals
    if operator not in ("<", "<=") or left.kind() not in nodes.CALLS or len(tolerances) != 1:
        return []
    receiver, name = nodes.read_callee(left)
    arguments = nodes.list_arguments(left) or ([receiver] if receiver is not None else [left])
    difference = nodes.unwrap(arguments[0])
    sign = _read_operator(difference)
    if name.lower() not in ("abs", "fabs") or sign not in ("-", "+"):
        return []
    sides = nodes.list_parts(difference)
    actual, expected = evaluate(sides[0], variables), evaluate(sides[-1], variables)
    if sign == "+":
        if len(expected.literals) != 1 or not is_numeric(expected.literals[0]):
            return []
        # The opposite number: of 3.0 it is -3.0, of -3.0 it is 3.0.
        expected = Value((f"-{expected.literals[0]}".replace("--", ""),))
    return make_assertions(EXACT, actual, expected, tolerance=parse_magnitude(tolerances[0]))


def is_numeric(text: str) -> bool:
    """Whether a normalized literal is a number."""
    return bool(re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", text))


def parse_magnitude(text: str) -> float:
    """Return the number without its sign; infinity for other text, as the widest tolerance."""
    try:
        return abs(float(text))
    except ValueError:
        return float("inf")


def read_approximation(node: SgNode, variables: Variables) -> tuple[Value, float]:
    """Return 90 and the tolerance 1 of `approx(90, abs=1)`; of other values the tolerance is 0."""
    node = nodes.unwrap(node)
    if node.kind() not in nodes.CALLS or nodes.read_callee(node)[1] not in ("approx", "closeTo"):
        return evaluate(node, variables), 0.0
    arguments = nodes.list_arguments(node)
    expected = evaluate(arguments[0], variables) if arguments else Value()
    return expected, _read_tolerance(arguments[1:], expected, variables)


def _read_tolerance(arguments: Sequence[SgNode], expected: Value, variables: Variables) -> float:
    """Return the largest tolerance among the arguments after the expected value.

    `rel=0.1` allows 9 if 90 is expected, and 0.1 for small numbers. Without a keyword the first
    argument is relative, as in `approx(90, 0.1)`.
    """
    numbers = (parse_magnitude(text) for text in expected.literals if is_numeric(text))
    scale = max(numbers, default=1.0)
    largest = 0.0
    for position, argument in enumerate(arguments):
        name = nodes.read_keyword(argument) or ("rel", "abs")[position > 0]
        literals = evaluate(nodes.get_value(argument), variables).literals
        tolerance = parse_magnitude(literals[0]) if literals else float("inf")
        if name in _TOLERANCE_KEYWORDS:
            # rel, rel_tol, rtol
            factor = max(scale, 1.0) if name.startswith("r") else 1.0
            largest = max(largest, tolerance * factor)
    return largest


def _read_predicate(node: SgNode, variables: Variables, *, negated: bool) -> list[Assertion]:
    """Read a call that returns true or false, such as `isclose(a, b)` or `name.startswith("a")`."""
    receiver, name = nodes.read_callee(node)
    arguments = nodes.list_arguments(node)
    if name in ("all", "every") and not negated and (assertions := _read_all(node, variables)):
        return assertions
    values = evaluate_all(arguments, variables)
    if name in ("isclose", "allclose") and len(values) > 1 and not negated:
        tolerance = _read_tolerance(arguments[2:], values[1], variables)
        return make_assertions(EXACT, values[0], values[1], tolerance=tolerance)
    if name in _EQUALITY_CALLS and not negated:
        if receiver is not None and len(values) == 1:
            # `a.equals(b)` asserts the same as `Equal(a, b)`.
            values.insert(0, evaluate(receiver, variables))
        if len(values) > 1:
            return make_assertions(EXACT, values[0], values[-1])
    if name == "Is" and receiver is not None and receiver.text() == "errors" and len(values) > 1:
        # `errors.Is(err, ErrGone)` asserts the same as `err == ErrGone`.
        strength = PARTIAL if negated else EXACT
        return make_assertions(strength, values[0], values[1], negated=negated)
    # `text.startswith("a")` says something about `text`, `is_valid(order)` only that it is true.
    strength = PARTIAL if arguments and receiver is not None else WEAK
    return make_assertions(strength, evaluate(node, variables), negated=negated)


def _read_all(node: SgNode, variables: Variables) -> list[Assertion]:
    """Read `all(f(a) == b for a, b in rows)` once for each row; [] if the rows are unknown."""
    kinds = words("generator_expression list_comprehension")
    comprehension = next(nodes.find_below(node, kinds), None)
    parts = nodes.list_parts(comprehension) if comprehension is not None else []
    clause = next((part for part in parts if part.kind() == "for_in_clause"), None)
    pattern, iterable = (clause.field("left"), clause.field("right")) if clause else (None, None)
    rows = evaluate(iterable, variables).rows if iterable is not None else ()
    assertions: list[Assertion] = []
    for row in rows or ():
        inside = dict(variables)
        if pattern is not None:
            bind(pattern, row, inside)
        assertions += read_condition(parts[0], inside)
    return assertions
