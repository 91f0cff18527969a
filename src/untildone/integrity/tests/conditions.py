"""Reads the assertions that a condition makes.

`f(1) == 2` asserts exactly 2, `abs(f(1) - 2) < 0.5` asserts 2 with a tolerance, `f(1) > 0` asserts
only a part of the outcome and `f(1)` hardly anything.
"""

import re
from collections.abc import Sequence

from ast_grep_py import SgNode
from msgspec.structs import replace

from untildone.integrity.tests.evaluation import evaluate, evaluate_all
from untildone.integrity.tests.model import EXACT, PARTIAL, WEAK, Assertion
from untildone.integrity.tests.patterns import bind
from untildone.integrity.tests.values import Value, Variables
from untildone.syntax import nodes
from untildone.words import words

_EQUALITY_CALLS = words("DeepEqual Equal equals isDeepStrictEqual array_equal is_deeply isEqual eq")
_TOLERANCE_KEYWORDS = words("abs rel abs_tol rel_tol delta atol rtol")
# A tolerance up to this is about rounding and counts as exact.
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
    """Return one assertion, none if both sides are constant: it holds whatever the product does."""
    calls = actual.calls | expected.calls
    if actual.known and expected.known and not calls:
        return []
    if actual.known and not expected.known:
        actual, expected = expected, actual
    literals = (*expected.literals, "not") if negated else expected.literals
    tolerance = tolerance if tolerance > _ROUNDING_ERROR else 0.0
    return [Assertion(strength, actual.literals, literals, calls, tolerance)]


def read_condition(node: SgNode, variables: Variables, *, negated: bool = False) -> list[Assertion]:
    """Return the assertions made by requiring the expression to be true, or false if `negated`."""
    node = nodes.unwrap(node)
    kind, parts = node.kind(), nodes.list_parts(node)
    if kind in ("not_operator", "unary_expression") and node.text()[:1] in "n!":
        return read_condition(parts[-1], variables, negated=not negated)
    if kind in ("boolean_operator", "binary_expression") and _read_operator(node) in _AND + _OR:
        return _read_joined(node, variables, negated=negated)
    if kind in ("comparison_operator", "binary_expression") and len(parts) > 1:
        return _read_comparison(node, variables, negated=negated)
    if kind in nodes.CALLS:
        return _read_predicate(node, variables, negated=negated)
    if kind == "tuple" or nodes.read_literal(node) is not None:
        return []
    return make_assertions(WEAK, evaluate(node, variables), negated=negated)


def _read_operator(node: SgNode) -> str:
    return " ".join(each.text() for each in node.children() if not each.is_named())


def _read_joined(node: SgNode, variables: Variables, *, negated: bool) -> list[Assertion]:
    """Read `a and b` or `a or b`; a negated `or` requires that neither holds."""
    sides = [read_condition(each, variables, negated=negated) for each in nodes.list_parts(node)]
    assertions = [assertion for side in sides for assertion in side]
    if (_read_operator(node) in _AND) != negated:
        return assertions
    # Where one side always holds, the condition asserts nothing.
    return [replace(each, strength=WEAK) for each in assertions] if all(sides) else []


def _read_comparison(node: SgNode, variables: Variables, *, negated: bool) -> list[Assertion]:
    left, *_, right = nodes.list_parts(node)
    operator = _read_operator(node)
    if not negated and (assertions := _read_distance(left, right, operator, variables)):
        return assertions
    actual, actual_tolerance = read_approximation(left, variables)
    expected, tolerance = read_approximation(right, variables)
    if operator in (_DIFFERS if negated else _EQUALS):
        tolerance = max(tolerance, actual_tolerance)
        return make_assertions(EXACT, actual, expected, tolerance=tolerance)
    differs = operator in (_EQUALS if negated else _DIFFERS)
    if differs and "null" in (nodes.read_literal(nodes.unwrap(side)) for side in (left, right)):
        return make_assertions(WEAK, actual if actual.calls or not actual.known else expected)
    return make_assertions(PARTIAL, actual, expected, negated=differs or negated)


def _read_distance(
    left: SgNode, right: SgNode, operator: str, variables: Variables
) -> list[Assertion]:
    """Read `abs(a - b) < 0.001` or `(a - b).abs() < 0.001`; `a + 3` is a distance from -3."""
    left, bound = nodes.unwrap(left), evaluate(right, variables).literals
    if operator not in ("<", "<=") or left.kind() not in nodes.CALLS or len(bound) != 1:
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
        expected = Value((f"-{expected.literals[0]}".replace("--", ""),))
    return make_assertions(EXACT, actual, expected, tolerance=parse_magnitude(bound[0]))


def is_numeric(text: str) -> bool:
    """Whether a normalized literal is a number."""
    return bool(re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", text))


def parse_magnitude(text: str) -> float:
    """Return the number without its sign; infinity if it is none, which no tolerance exceeds."""
    try:
        return abs(float(text))
    except ValueError:
        return float("inf")


def read_approximation(node: SgNode, variables: Variables) -> tuple[Value, float]:
    """Return the expected value and the tolerance of `approx(90, abs=1)`; 0.0 for others."""
    node = nodes.unwrap(node)
    if node.kind() not in nodes.CALLS or nodes.read_callee(node)[1] not in ("approx", "closeTo"):
        return evaluate(node, variables), 0.0
    arguments = nodes.list_arguments(node)
    expected = evaluate(arguments[0], variables) if arguments else Value()
    return expected, _read_tolerance(arguments[1:], expected, variables)


def _read_tolerance(arguments: Sequence[SgNode], expected: Value, variables: Variables) -> float:
    """Return the largest tolerance; a relative one is a share of the expected number."""
    numbers = (parse_magnitude(each) for each in expected.literals if is_numeric(each))
    scale = max(numbers, default=1.0)
    largest = 0.0
    for position, argument in enumerate(arguments):
        is_keyword = argument.kind() == "keyword_argument"
        name = nodes.list_parts(argument)[0].text() if is_keyword else ("rel", "abs")[position > 0]
        literals = evaluate(nodes.get_value(argument), variables).literals
        tolerance = parse_magnitude(literals[0]) if literals else float("inf")
        if name in _TOLERANCE_KEYWORDS:
            factor = max(scale, 1.0) if name.startswith("r") else 1.0
            largest = max(largest, tolerance * factor)
    return largest


def _read_predicate(node: SgNode, variables: Variables, *, negated: bool) -> list[Assertion]:
    """Read a call that returns true or false."""
    receiver, name = nodes.read_callee(node)
    arguments = nodes.list_arguments(node)
    if name in ("all", "every") and not negated and (assertions := _read_all(node, variables)):
        return assertions
    values = evaluate_all(arguments, variables)
    if name in ("isclose", "allclose") and len(values) > 1:
        tolerance = _read_tolerance(arguments[2:], values[1], variables)
        return make_assertions(EXACT, values[0], values[1], tolerance=tolerance)
    if name in _EQUALITY_CALLS and not negated:
        # `Equal(a, b)` or `a.equals(b)`
        sides = (
            values
            if receiver is None or len(values) > 1
            else [evaluate(receiver, variables), *values]
        )
        if len(sides) > 1:
            return make_assertions(EXACT, sides[0], sides[-1])
    if name == "Is" and receiver is not None and receiver.text() == "errors" and len(values) > 1:
        # `errors.Is(err, ErrGone)` asserts the same as `err == ErrGone`.
        strength = PARTIAL if negated else EXACT
        return make_assertions(strength, values[0], values[1], negated=negated)
    strength = PARTIAL if arguments and receiver is not None else WEAK
    return make_assertions(strength, evaluate(node, variables), negated=negated)


def _read_all(node: SgNode, variables: Variables) -> list[Assertion]:
    """Read `all(f(a) == b for a, b in rows)`, once for each row."""
    kinds = words("generator_expression list_comprehension")
    comprehension = next(nodes.find_below(node, kinds), None)
    parts = nodes.list_parts(comprehension) if comprehension is not None else []
    clause = next((each for each in parts if each.kind() == "for_in_clause"), None)
    pattern, iterable = (clause.field("left"), clause.field("right")) if clause else (None, None)
    rows = evaluate(iterable, variables).rows if iterable is not None else ()
    assertions: list[Assertion] = []
    for row in rows or ():
        inside = dict(variables)
        if pattern is not None:
            bind(pattern, row, inside)
        assertions += read_condition(parts[0], inside)
    return assertions
