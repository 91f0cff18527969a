"""The assertions that a condition makes: `f(1) == 2`, `abs(f(1) - 2) < 0.01`, …"""

import re
from collections.abc import Iterator

from ast_grep_py import SgNode

from untildone.integrity.tests.model import EXACT, PARTIAL, WEAK, Assertion
from untildone.integrity.tests.values import Value, Variables, bind, evaluate
from untildone.syntax.nodes import (
    CALLS,
    find_below,
    get_value,
    list_arguments,
    list_parts,
    read_callee,
    read_literal,
    unwrap,
)

_EQUALITY_CALLS = frozenset(
    (
        *("DeepEqual", "Equal", "equals", "isDeepStrictEqual", "array_equal", "is_deeply"),
        *("isEqual", "eq"),
    )
)
_TOLERANCE_KEYWORDS = frozenset(("abs", "rel", "abs_tol", "rel_tol", "delta", "atol", "rtol"))
# A tolerance up to this is about rounding and counts as exact.
_ROUNDING_ERROR = 0.01
_EQUALS = ("==", "===", "is")
_DIFFERS = ("!=", "!==", "is not")
_AND = frozenset(("and", "&&"))
_OR = frozenset(("or", "||"))


def make_assertions(
    strength: int, actual: Value, expected: Value, *, tolerance: float = 0.0, negated: bool = False
) -> Iterator[Assertion]:
    """Yield one assertion, none if both sides are constant: it holds whatever the product does."""
    if actual.known and expected.known and not actual.calls | expected.calls:
        return
    if actual.known and not expected.known:
        actual, expected = expected, actual
    literals = (*expected.literals, "not") if negated else expected.literals
    calls = actual.calls | expected.calls
    yield Assertion(
        strength,
        actual.literals,
        literals,
        calls,
        tolerance if tolerance > _ROUNDING_ERROR else 0.0,
    )


def read_condition(node: SgNode, variables: Variables, *, negated: bool = False) -> list[Assertion]:
    """Return the assertions made by requiring the expression to be true, or false if `negated`."""
    node = unwrap(node)
    kind = node.kind()
    if kind in ("not_operator", "unary_expression") and node.text()[:1] in "n!":
        return read_condition(list_parts(node)[-1], variables, negated=not negated)
    if kind in ("boolean_operator", "binary_expression") and _read_operator(node) in _AND | _OR:
        return _read_joined(node, variables, negated=negated)
    if kind in ("comparison_operator", "binary_expression") and len(list_parts(node)) > 1:
        return _read_comparison(node, variables, negated=negated)
    if kind in CALLS:
        return _read_predicate(node, variables, negated=negated)
    if kind == "tuple" or read_literal(node) is not None:
        return []
    return list(make_assertions(WEAK, evaluate(node, variables), Value(), negated=negated))


def _read_operator(node: SgNode) -> str:
    words = [each.text() for each in node.children() if not each.is_named()]
    return " ".join(words) if words else ""


def _read_joined(node: SgNode, variables: Variables, *, negated: bool) -> list[Assertion]:
    parts = [read_condition(each, variables, negated=negated) for each in list_parts(node)]
    if (_read_operator(node) in _AND) != negated:
        return [each for part in parts for each in part]
    if not all(parts):
        # One side always holds, so the whole condition asserts nothing.
        return []
    return [_weaken(each) for part in parts for each in part]


def _weaken(assertion: Assertion) -> Assertion:
    return Assertion(
        WEAK, assertion.actual, assertion.expected, assertion.calls, assertion.tolerance
    )


def _read_comparison(node: SgNode, variables: Variables, *, negated: bool) -> list[Assertion]:
    left, right = list_parts(node)[0], list_parts(node)[-1]
    operator = _read_operator(node)
    equal = operator in (_DIFFERS if negated else _EQUALS)
    differs = operator in (_EQUALS if negated else _DIFFERS)
    near = _read_distance(left, right, operator, variables)
    if near and not negated:
        return near
    expected, tolerance = read_approximation(right, variables)
    actual, more = read_approximation(left, variables)
    if equal:
        return list(make_assertions(EXACT, actual, expected, tolerance=max(tolerance, more)))
    empty = read_literal(unwrap(right)) == "null" or read_literal(unwrap(left)) == "null"
    if differs and empty:
        return list(
            make_assertions(WEAK, actual if actual.calls or not actual.known else expected, Value())
        )
    return list(make_assertions(PARTIAL, actual, expected, negated=differs or negated))


def _read_distance(
    left: SgNode, right: SgNode, operator: str, variables: Variables
) -> list[Assertion]:
    """Read `abs(a - b) < 0.001` or `(a - b).abs() < 0.001`; `a + 3` is a distance from -3."""
    left, bound_ = unwrap(left), evaluate(right, variables)
    if operator not in ("<", "<=") or left.kind() not in CALLS or len(bound_.literals) != 1:
        return []
    held, name = read_callee(left)
    parts = list_arguments(left) or ([held] if held is not None else [])
    difference = unwrap(parts[0]) if parts else left
    tolerance = parse_magnitude(bound_.literals[0])
    if name.lower() not in ("abs", "fabs") or _read_operator(difference) not in ("-", "+"):
        return []
    actual, expected = (
        evaluate(list_parts(difference)[0], variables),
        evaluate(list_parts(difference)[-1], variables),
    )
    if _read_operator(difference) == "+":
        if len(expected.literals) != 1 or not is_numeric(expected.literals[0]):
            return []
        expected = Value((f"-{expected.literals[0]}".replace("--", ""),))
    return list(make_assertions(EXACT, actual, expected, tolerance=tolerance))


def parse_magnitude(text: str) -> float:
    try:
        return abs(float(text))
    except ValueError:
        return float("inf")


def read_approximation(node: SgNode, variables: Variables) -> tuple[Value, float]:
    """Return the expected value and the tolerance of `approx(90, abs=1)`; 0.0 for others."""
    node = unwrap(node)
    if node.kind() not in CALLS or read_callee(node)[1] not in ("approx", "closeTo"):
        return evaluate(node, variables), 0.0
    given = list_arguments(node)
    expected = evaluate(given[0], variables) if given else Value()
    return expected, _read_tolerance(given[1:], expected, variables)


def _read_tolerance(given: list[SgNode], expected: Value, variables: Variables) -> float:
    scale = max(
        (parse_magnitude(each) for each in expected.literals if is_numeric(each)), default=1.0
    )
    allowed = 0.0
    for place, each in enumerate(given):
        keyed = each.kind() == "keyword_argument"
        name = list_parts(each)[0].text() if keyed else ("rel", "abs")[place > 0]
        held = evaluate(get_value(each), variables)
        far = parse_magnitude(held.literals[0]) if held.literals else float("inf")
        if name in _TOLERANCE_KEYWORDS:
            allowed = max(allowed, far * (max(scale, 1.0) if name.startswith("r") else 1.0))
    return allowed


def is_numeric(text: str) -> bool:
    return bool(re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", text))


def _read_predicate(node: SgNode, variables: Variables, *, negated: bool) -> list[Assertion]:
    held, name = read_callee(node)
    given = list_arguments(node)
    if name in ("all", "every") and not negated and (every := _read_all(node, variables)):
        return every
    if name in ("isclose", "allclose") and len(given) > 1:
        expected = evaluate(given[1], variables)
        tolerance = _read_tolerance(given[2:], expected, variables)
        return list(
            make_assertions(EXACT, evaluate(given[0], variables), expected, tolerance=tolerance)
        )
    if name in _EQUALITY_CALLS and not negated and (len(given) > 1 or (held is not None and given)):
        first = given[0] if len(given) > 1 or held is None else held
        return list(
            make_assertions(EXACT, evaluate(first, variables), evaluate(given[-1], variables))
        )
    if name == "Is" and held is not None and held.text() == "errors" and len(given) > 1:
        return _read_error_check(given, variables, negated=negated)
    strength = PARTIAL if given and held is not None else WEAK
    return list(make_assertions(strength, evaluate(node, variables), Value(), negated=negated))


def _read_error_check(
    given: list[SgNode], variables: Variables, *, negated: bool
) -> list[Assertion]:
    """Read `errors.Is(err, ErrGone)` as `err == ErrGone`."""
    strength = PARTIAL if negated else EXACT
    return list(
        make_assertions(
            strength, evaluate(given[0], variables), evaluate(given[1], variables), negated=negated
        )
    )


def _read_all(node: SgNode, variables: Variables) -> list[Assertion]:
    """Read `all(f(a) == b for a, b in rows)`, once for each row."""
    for made in find_below(node, frozenset(("generator_expression", "list_comprehension"))):
        parts = list_parts(made)
        clause = next((each for each in parts if each.kind() == "for_in_clause"), None)
        if clause is None:
            return []
        left, right = clause.field("left"), clause.field("right")
        rows = evaluate(right, variables).rows if right is not None else None
        assertions: list[Assertion] = []
        for row in rows or ():
            inside = dict(variables)
            if left is not None:
                bind(left, row, inside)
            assertions += read_condition(parts[0], inside)
        return assertions
    return []
