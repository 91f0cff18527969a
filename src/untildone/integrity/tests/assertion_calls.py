"""Reads the assertion calls of the test libraries.

`assertEqual(f(1), 2)`, `expect(f(1)).toBe(2)` and `assert.Equal(t, 2, f(1))` assert the same;
`assertRaises(ValueError, f, -1)` asserts the name of an error.
"""

from collections.abc import Iterator, Sequence

from ast_grep_py import SgNode

from untildone.integrity.tests import assertion_names as names
from untildone.integrity.tests.conditions import (
    is_numeric,
    make_assertions,
    parse_magnitude,
    read_approximation,
    read_condition,
)
from untildone.integrity.tests.evaluation import evaluate, evaluate_all
from untildone.integrity.tests.model import EXACT, PARTIAL, WEAK, Assertion
from untildone.integrity.tests.values import Value, Variables, combine
from untildone.syntax import nodes
from untildone.words import words

_CHAIN_ROOTS = words("expect assertThat assertWithMessage should expectTypeOf")
_RECEIVERS = words("""
    assert Assert Assertions require self t chai np numpy testing tap test unittest suite s is a r c
    cls this ctx pytest
""")
# They assert whatever they are called on.
_ASSERTING_PREFIXES = ("assert", "debug_assert", "strictEqual", "deepStrict")
_NULL_VALUE = Value(("null",))


def read_assertions(call: SgNode, variables: Variables) -> list[Assertion] | None:
    """Return the assertions of a call or of `expect(x).to.be.true`; None if it is no assertion."""
    if call.kind() in nodes.MEMBERS:
        receiver, written, arguments = nodes.get_receiver(call), nodes.get_member(call), []
    else:
        (receiver, written), arguments = nodes.read_callee(call), nodes.list_arguments(call)
    name = names.normalize_name(written)
    root, chain = _split_chain(receiver)
    if root is not None and root.kind() in nodes.CALLS:
        actual = combine(evaluate_all(nodes.list_arguments(root), variables))
        is_negated = "not" in chain or "never" in chain
        return _read_matcher(name, actual, arguments, variables, negated=is_negated)
    is_library = root is not None and root.kind() in nodes.NAMES and root.text() in _RECEIVERS
    if not is_library and not written.startswith(_ASSERTING_PREFIXES):
        return None
    if not name.startswith("assert") and name not in names.KNOWN:
        return None
    if arguments and arguments[0].text() in ("t", "s.T()", "suite.T()", "tt", "b"):
        # testify takes the test as its first argument.
        arguments = arguments[1:]
    return _read_function(name, arguments, variables)


def _split_chain(node: SgNode | None) -> tuple[SgNode | None, list[str]]:
    """Split `expect(x).not.to` into the call of `expect` and the words after it."""
    chain: list[str] = []
    while node is not None:
        node = nodes.unwrap(node)
        if node.kind() in nodes.MEMBERS:
            receiver, name = nodes.get_receiver(node), nodes.get_member(node)
        elif node.kind() in nodes.CALLS:
            receiver, name = nodes.read_callee(node)
            if _begins_chain(receiver, name):
                return node, chain
        else:
            return node, chain
        chain.append(name)
        node = receiver
    return None, chain


def _begins_chain(receiver: SgNode | None, name: str) -> bool:
    if receiver is None:
        return name in _CHAIN_ROOTS
    # `expect.soft(x)` fails its test as `expect(x)` does, only later.
    is_soft = name in ("soft", "poll") and receiver.text() in _CHAIN_ROOTS
    return is_soft or name == "assertThat"


def _read_matcher(
    name: str, actual: Value, arguments: list[SgNode], variables: Variables, *, negated: bool
) -> list[Assertion]:
    """Read what follows `expect(actual)`."""
    if name in names.THROWS:
        raised = read_raised(actual, arguments, variables)
        return make_assertions(WEAK, actual) if negated else raised
    if name in names.CLOSE:
        return _read_approximate(name, actual, arguments, variables)
    if name in names.NULL:
        absent = make_assertions(EXACT, actual, _NULL_VALUE)
        return make_assertions(WEAK, actual) if negated else absent
    if name in names.TRUE | names.FALSE | names.PRESENT:
        return make_assertions(WEAK, actual, negated=negated != (name in names.FALSE))
    expected = combine(evaluate_all(arguments, variables))
    if name == "tomatchinlinesnapshot":
        # Its indentation follows the code around it.
        expected = Value(tuple(" ".join(literal.split()) for literal in expected.literals))
    strength = EXACT if name in names.EQUAL and not negated else PARTIAL
    return make_assertions(strength, actual, expected, negated=negated)


def _read_function(name: str, arguments: list[SgNode], variables: Variables) -> list[Assertion]:
    """Read an assertion that takes all values as its arguments."""
    if not arguments:
        return []
    if name in names.TRUE | names.FALSE:
        return read_condition(arguments[0], variables, negated=name in names.FALSE)
    if name in names.THROWS:
        return _read_raising_call(name, arguments, variables)
    first = evaluate(arguments[0], variables)
    if name in names.NULL:
        return make_assertions(EXACT, first, _NULL_VALUE)
    if name in names.CLOSE:
        return _read_approximate(name, first, arguments[1:], variables)
    if name in names.PRESENT or len(arguments) == 1:
        return make_assertions(WEAK if name in names.PRESENT else PARTIAL, first)
    actual, expected, tolerance = _read_pair(arguments, variables)
    strength = EXACT if name in names.EQUAL else PARTIAL
    is_negated = "not" in name or name == "assertne"
    return make_assertions(strength, actual, expected, tolerance=tolerance, negated=is_negated)


def _read_pair(arguments: list[SgNode], variables: Variables) -> tuple[Value, Value, float]:
    """Return actual, expected and tolerance of two or three arguments.

    The third is a tolerance or a message; JUnit 4 has the message first.
    """
    values = evaluate_all(arguments, variables)
    if len(values) == 3:
        last = values[2]
        if last.known and len(last.literals) == 1 and is_numeric(last.literals[0]):
            return values[0], values[1], parse_magnitude(last.literals[0])
        texts = [nodes.read_literal(argument) for argument in arguments]
        if texts[0] is not None and texts[2] is None:
            return values[1], values[2], 0.0
    expected, tolerance = read_approximation(arguments[1], variables)
    return values[0], expected, tolerance


def _read_approximate(
    name: str, actual: Value, arguments: list[SgNode], variables: Variables
) -> list[Assertion]:
    """Read an approximate equality; Jest and unittest count digits, others give a distance."""
    if not arguments:
        return []
    expected, *others = (evaluate(nodes.get_value(each), variables) for each in arguments)
    tolerance = 0.0
    if others:
        keyword = arguments[1].text().partition("=")[0].strip()
        if others[0].literals:
            tolerance = parse_magnitude(others[0].literals[0])
        if name == "tobecloseto" or (name.startswith("assertalmost") and keyword != "delta"):
            tolerance = 10.0**-tolerance / 2
    return make_assertions(EXACT, actual, expected, tolerance=tolerance)


def read_raised(actual: Value, kinds: Sequence[SgNode], variables: Variables) -> list[Assertion]:
    """Return the assertion that an error is raised, with its names and messages as literals."""
    errors = tuple(name for kind in kinds for name in _list_error_names(kind, variables))
    is_vague = not errors or names.BROAD_ERRORS.intersection(errors)
    strength = PARTIAL if is_vague or any(kind.kind() == "tuple" for kind in kinds) else EXACT
    raising = Value(actual.literals, actual.calls, known=False)
    return make_assertions(strength, raising, Value(errors))


def _list_error_names(node: SgNode, variables: Variables) -> Iterator[str]:
    node = nodes.unwrap(nodes.get_value(node))
    kind, parts = node.kind(), nodes.list_parts(node)
    if (literal := nodes.read_literal(node)) is not None:
        yield literal
    elif kind in nodes.MEMBERS:
        yield nodes.get_member(node)
    elif kind == "pair" and parts[0].text() == "name":
        # `{ name: 'TypeError' }` asserts the same as `TypeError`.
        literals = evaluate(parts[-1], variables).literals
        yield from (literal.removeprefix('"') for literal in literals)
    elif kind in nodes.NAMES or kind == "type_identifier":
        yield from variables[node.text()].literals if node.text() in variables else (node.text(),)
    else:
        for part in parts:
            yield from _list_error_names(part, variables)


def _read_raising_call(name: str, arguments: list[SgNode], variables: Variables) -> list[Assertion]:
    """Read `assertRaises(Error, f, -1)` or `throws(() => f(-1), Error)`."""
    if name.startswith(("assertraises", "raises")):
        kinds, action = arguments[:1], arguments[1:]
    elif name.startswith("assertthrows"):
        kinds, action = arguments[:1], arguments[1:2]
    else:
        kinds, action = arguments[1:2], arguments[:1]
    value = combine(evaluate_all(action, variables))
    passed = frozenset(
        each.text().rpartition(".")[2]
        for each in action[:1]
        if each.kind() in nodes.NAMES | nodes.MEMBERS
    )
    return read_raised(Value(value.literals, value.calls | passed), kinds, variables)
