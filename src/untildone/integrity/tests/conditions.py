"""What a condition says of the product if it holds, and how closely."""

import re
from collections.abc import Iterator

from ast_grep_py import SgNode

from untildone.integrity.tests.model import EXACT, PARTIAL, WEAK, Claim
from untildone.integrity.tests.values import Names, Value, bound, value
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

_SAME = frozenset(
    (
        *("DeepEqual", "Equal", "equals", "isDeepStrictEqual", "array_equal", "is_deeply"),
        *("isEqual", "eq"),
    )
)
_TOLERANCES = frozenset(("abs", "rel", "abs_tol", "rel_tol", "delta", "atol", "rtol"))
# Rounding of floats, not a range.
_PRECISE = 0.01
_EQUALS = ("==", "===", "is")
_DIFFERS = ("!=", "!==", "is not")
_BOTH = frozenset(("and", "&&"))
_EITHER = frozenset(("or", "||"))


def claim(
    strength: int, actual: Value, expected: Value, *, slack: float = 0.0, negated: bool = False
) -> Iterator[Claim]:
    """Nothing for what holds whatever the product does."""
    if actual.known and expected.known and not actual.calls | expected.calls:
        return
    if actual.known and not expected.known:
        actual, expected = expected, actual
    told = (*expected.literals, "not") if negated else expected.literals
    calls = actual.calls | expected.calls
    yield Claim(strength, actual.literals, told, calls, slack if slack > _PRECISE else 0.0)


def condition(node: SgNode, names: Names, *, negated: bool = False) -> list[Claim]:
    """What is known of the product if this expression is true, or with `negated` false."""
    node = unwrap(node)
    kind = node.kind()
    if kind in ("not_operator", "unary_expression") and node.text()[:1] in "n!":
        return condition(list_parts(node)[-1], names, negated=not negated)
    if kind in ("boolean_operator", "binary_expression") and _operator(node) in _BOTH | _EITHER:
        return _joined(node, names, negated=negated)
    if kind in ("comparison_operator", "binary_expression") and len(list_parts(node)) > 1:
        return _compared(node, names, negated=negated)
    if kind in CALLS:
        return _called(node, names, negated=negated)
    if kind == "tuple" or read_literal(node) is not None:
        return []
    return list(claim(WEAK, value(node, names), Value(), negated=negated))


def _operator(node: SgNode) -> str:
    words = [each.text() for each in node.children() if not each.is_named()]
    return " ".join(words) if words else ""


def _joined(node: SgNode, names: Names, *, negated: bool) -> list[Claim]:
    parts = [condition(each, names, negated=negated) for each in list_parts(node)]
    if (_operator(node) in _BOTH) != negated:
        return [each for part in parts for each in part]
    if not all(parts):
        # One side always holds, so the other says nothing.
        return []
    return [_weakened(each) for part in parts for each in part]


def _weakened(told: Claim) -> Claim:
    return Claim(WEAK, told.actual, told.expected, told.calls, told.slack)


def _compared(node: SgNode, names: Names, *, negated: bool) -> list[Claim]:
    left, right = list_parts(node)[0], list_parts(node)[-1]
    operator = _operator(node)
    equal = operator in (_DIFFERS if negated else _EQUALS)
    differs = operator in (_EQUALS if negated else _DIFFERS)
    near = _near(left, right, operator, names)
    if near and not negated:
        return near
    expected, slack = tolerated(right, names)
    actual, more = tolerated(left, names)
    if equal:
        return list(claim(EXACT, actual, expected, slack=max(slack, more)))
    empty = read_literal(unwrap(right)) == "null" or read_literal(unwrap(left)) == "null"
    if differs and empty:
        return list(claim(WEAK, actual if actual.calls or not actual.known else expected, Value()))
    return list(claim(PARTIAL, actual, expected, negated=differs or negated))


def _near(left: SgNode, right: SgNode, operator: str, names: Names) -> list[Claim]:
    """`abs(a - b) < 0.001`, `(a - b).abs() < 0.001`; of a negative one `a + b`."""
    left, bound_ = unwrap(left), value(right, names)
    if operator not in ("<", "<=") or left.kind() not in CALLS or len(bound_.literals) != 1:
        return []
    held, name = read_callee(left)
    parts = list_arguments(left) or ([held] if held is not None else [])
    difference = unwrap(parts[0]) if parts else left
    slack = size(bound_.literals[0])
    if name.lower() not in ("abs", "fabs") or _operator(difference) not in ("-", "+"):
        return []
    actual, expected = (
        value(list_parts(difference)[0], names),
        value(list_parts(difference)[-1], names),
    )
    if _operator(difference) == "+":
        if len(expected.literals) != 1 or not numeric(expected.literals[0]):
            return []
        expected = Value((f"-{expected.literals[0]}".replace("--", ""),))
    return list(claim(EXACT, actual, expected, slack=slack))


def size(text: str) -> float:
    try:
        return abs(float(text))
    except ValueError:
        return float("inf")


def tolerated(node: SgNode, names: Names) -> tuple[Value, float]:
    """The expected value of `approx(90, abs=1)` and how far off it may be."""
    node = unwrap(node)
    if node.kind() not in CALLS or read_callee(node)[1] not in ("approx", "closeTo"):
        return value(node, names), 0.0
    given = list_arguments(node)
    expected = value(given[0], names) if given else Value()
    return expected, _slack(given[1:], expected, names)


def _slack(given: list[SgNode], expected: Value, names: Names) -> float:
    scale = max((size(each) for each in expected.literals if numeric(each)), default=1.0)
    allowed = 0.0
    for place, each in enumerate(given):
        keyed = each.kind() == "keyword_argument"
        name = list_parts(each)[0].text() if keyed else ("rel", "abs")[place > 0]
        held = value(get_value(each), names)
        far = size(held.literals[0]) if held.literals else float("inf")
        if name in _TOLERANCES:
            allowed = max(allowed, far * (max(scale, 1.0) if name.startswith("r") else 1.0))
    return allowed


def numeric(text: str) -> bool:
    return bool(re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", text))


def _called(node: SgNode, names: Names, *, negated: bool) -> list[Claim]:
    held, name = read_callee(node)
    given = list_arguments(node)
    if name in ("all", "every") and not negated and (every := _every(node, names)):
        return every
    if name in ("isclose", "allclose") and len(given) > 1:
        expected = value(given[1], names)
        slack = _slack(given[2:], expected, names)
        return list(claim(EXACT, value(given[0], names), expected, slack=slack))
    if name in _SAME and not negated and (len(given) > 1 or (held is not None and given)):
        first = given[0] if len(given) > 1 or held is None else held
        return list(claim(EXACT, value(first, names), value(given[-1], names)))
    if name == "Is" and held is not None and held.text() == "errors" and len(given) > 1:
        return _is_error(given, names, negated=negated)
    strength = PARTIAL if given and held is not None else WEAK
    return list(claim(strength, value(node, names), Value(), negated=negated))


def _is_error(given: list[SgNode], names: Names, *, negated: bool) -> list[Claim]:
    """`errors.Is(err, ErrGone)` says what `err == ErrGone` does, of an error with more text too."""
    strength = PARTIAL if negated else EXACT
    return list(claim(strength, value(given[0], names), value(given[1], names), negated=negated))


def _every(node: SgNode, names: Names) -> list[Claim]:
    """`all(f(a) == b for a, b in rows)`"""
    for made in find_below(node, frozenset(("generator_expression", "list_comprehension"))):
        parts = list_parts(made)
        clause = next((each for each in parts if each.kind() == "for_in_clause"), None)
        if clause is None:
            return []
        left, right = clause.field("left"), clause.field("right")
        rows = value(right, names).rows if right is not None else None
        told: list[Claim] = []
        for row in rows or ():
            inside = dict(names)
            if left is not None:
                bound(left, row, inside)
            told += condition(parts[0], inside)
        return told
    return []
