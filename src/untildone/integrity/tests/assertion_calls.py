"""Reads the calls by which test libraries assert: which values they compare, and how strictly.

`assertEqual(f(1), 2)`, `expect(f(1)).toBe(2)` and `assert.Equal(t, 2, f(1))` assert the same;
`assertRaises(ValueError, f, -1)` asserts the name of an error.
"""

from collections.abc import Iterator, Sequence

from ast_grep_py import SgNode

from untildone.integrity.tests import conditions
from untildone.integrity.tests.evaluation import evaluate, evaluate_all
from untildone.integrity.tests.model import EXACT, PARTIAL, WEAK, Assertion
from untildone.integrity.tests.values import Value, Variables, combine
from untildone.syntax import nodes
from untildone.words import words

# Names of assertions in all supported test libraries, as `normalize_name` returns them.
_EQUAL = words("""
    equal equals strictequal deepequal deepstrictequal eql tobe is toequal tostrictequal assertequal
    assertequals asserteq assertis assertlistequal assertdictequal asserttupleequal assertsetequal
    same assertsequenceequal assertmultilineequal assertcountequal assertarrayequals assertsame
    assertiterableequals equalvalues elementsmatch jsoneq len isequalto containsexactly tohavelength
    lengthof hassize issameas tomatchsnapshot tomatchinlinesnapshot debugasserteq exactly
    matchsnapshot tohavebeencalledwith tohavebeencalledtimes assertarrayequal assertframeequal
""")
_NULL = words("assertisnone assertnull tobenull tobeundefined isnull nil null")
_CLOSE = words("""
    tobecloseto assertalmostequal assertalmostequals closeto approximately indelta inepsilon
    assertallclose iscloseto approx isclose allclose
""")
_TRUE = words("ok asserttrue true assert debugassert istrue tobetruthy")
_FALSE = words("assertfalse false isfalse tobefalsy notok refute")
# Assertions that there is a value, or no error.
_PRESENT = words("""
    assertisnotnone assertnotnull tobedefined notnil notnull isnotnull noerror doesnotthrow
    assertdoesnotthrow exists exist error isdefined doesnotreject isnotempty notempty
    tohavebeencalled assertcalled
""")
_THROWS = words("""
    assertraises assertraisesregex throws rejects tothrow tothrowerror assertthrows
    assertthrowsexactly raises panics isthrownby throw
""")
# Assertions of a part of the outcome.
_OTHER = words("""
    notequal notstrictequal notdeepequal notdeepstrictequal contains greater less regexp match
    doesnotmatch include subset isinstanceof zero greaterorequal lessorequal notcontains empty
    iserror errorcontains
""")
_KNOWN = _EQUAL | _NULL | _CLOSE | _TRUE | _FALSE | _PRESENT | _THROWS | _OTHER
# Error types that nearly every failure raises, as they are written.
BROAD_ERRORS = words("Exception BaseException Throwable RuntimeException")
# `expect(x).toBe(1)`: functions that take the actual value and begin a chain.
_CHAIN_ROOTS = words("expect assertThat assertWithMessage should expectTypeOf")
# What assertion functions are called on: `self.assertEqual`, `t.Equal`, `np.testing.…`.
_RECEIVERS = words("""
    assert Assert Assertions require self t chai np numpy testing tap test unittest suite s is a r c
    cls this ctx pytest
""")
# Functions with such a name assert even without a known receiver: `my_suite.assertSorted(x)`.
_ASSERTING_PREFIXES = ("assert", "debug_assert", "strictEqual", "deepStrict")
_NULL_VALUE = Value(("null",))


def normalize_name(name: str) -> str:
    """Return one spelling of the name: `assert_equal` and `assertEqual` are `assertequal`."""
    return name.replace("_", "").lower()


def read_assertions(call: SgNode, variables: Variables) -> list[Assertion] | None:
    """Return the assertions of a call or of `expect(x).to.be.true`; None if it is no assertion.

    The list is empty for an assertion that holds whatever the product does.
    """
    if call.kind() in nodes.MEMBERS:
        receiver, source_name, arguments = nodes.get_receiver(call), nodes.get_member(call), []
    else:
        (receiver, source_name), arguments = nodes.read_callee(call), nodes.list_arguments(call)
    name = normalize_name(source_name)
    root, chain = _split_chain(receiver)
    if root is not None and root.kind() in nodes.CALLS:
        actual = combine(evaluate_all(nodes.list_arguments(root), variables))
        is_negated = "not" in chain or "never" in chain
        return _read_matcher(name, actual, arguments, variables, negated=is_negated)
    is_library = root is not None and root.kind() in nodes.NAMES and root.text() in _RECEIVERS
    if not is_library and not source_name.startswith(_ASSERTING_PREFIXES):
        return None
    if not name.startswith("assert") and name not in _KNOWN:
        return None
    if arguments and arguments[0].text() in ("t", "s.T()", "suite.T()", "tt", "b"):
        # testify takes the test as its first argument.
        arguments = arguments[1:]
    return _read_function(name, arguments, variables)


def _split_chain(node: SgNode | None) -> tuple[SgNode | None, list[str]]:
    """Split `expect(x).not.to` into the call of `expect` and the words after it, last first.

    Without such a call the first part is the outermost receiver: `assert` of `assert.strict.equal`.
    """
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
    """Whether a call is `expect(…)` or one of its variants, which take the actual value."""
    if receiver is None:
        return name in _CHAIN_ROOTS
    # `expect.soft(x)` fails its test as `expect(x)` does, only later.
    is_soft = name in ("soft", "poll") and receiver.text() in _CHAIN_ROOTS
    return is_soft or name == "assertThat"


def _read_matcher(
    name: str, actual: Value, arguments: list[SgNode], variables: Variables, *, negated: bool
) -> list[Assertion]:
    """Read the matcher that ends a chain: `toBe(9)` in `expect(actual).not.toBe(9)`."""
    if name in _THROWS:
        raised = read_raised(actual, arguments, variables)
        return conditions.make_assertions(WEAK, actual) if negated else raised
    if name in _CLOSE and not negated:
        return _read_approximate(name, actual, arguments, variables)
    if name in _NULL:
        absent = conditions.make_assertions(EXACT, actual, _NULL_VALUE)
        return conditions.make_assertions(WEAK, actual) if negated else absent
    if name in _TRUE | _FALSE | _PRESENT:
        return conditions.make_assertions(WEAK, actual, negated=negated != (name in _FALSE))
    expected = combine(evaluate_all(arguments, variables))
    if name == "tomatchinlinesnapshot":
        # Its indentation follows the code around it.
        expected = Value(tuple(" ".join(literal.split()) for literal in expected.literals))
    strength = EXACT if name in _EQUAL and not negated else PARTIAL
    return conditions.make_assertions(strength, actual, expected, negated=negated)


def _read_function(name: str, arguments: list[SgNode], variables: Variables) -> list[Assertion]:
    """Read an assertion that takes all values as its arguments: `assertEqual(actual, 9)`."""
    if not arguments:
        return []
    if name in _TRUE | _FALSE:
        return conditions.read_condition(arguments[0], variables, negated=name in _FALSE)
    if name in _THROWS:
        return _read_raising_call(name, arguments, variables)
    first = evaluate(arguments[0], variables)
    if name in _NULL:
        return conditions.make_assertions(EXACT, first, _NULL_VALUE)
    if name in _CLOSE:
        return _read_approximate(name, first, arguments[1:], variables)
    if name in _PRESENT or len(arguments) == 1:
        return conditions.make_assertions(WEAK if name in _PRESENT else PARTIAL, first)
    actual, expected, tolerance = _read_pair(arguments, variables)
    strength = EXACT if name in _EQUAL else PARTIAL
    is_negated = "not" in name or name == "assertne"
    return conditions.make_assertions(
        strength, actual, expected, tolerance=tolerance, negated=is_negated
    )


def _read_pair(arguments: list[SgNode], variables: Variables) -> tuple[Value, Value, float]:
    """Return actual value, expected value and tolerance of two or three arguments.

    The third is a tolerance, `assertEquals(0.5, f(), 0.1)`, or a message. JUnit 4 has the message
    first: `assertEquals("half", 0.5, f())`.
    """
    values = evaluate_all(arguments, variables)
    if len(values) == 3:
        last = values[2]
        if last.known and len(last.literals) == 1 and conditions.is_numeric(last.literals[0]):
            return values[0], values[1], conditions.parse_magnitude(last.literals[0])
        texts = [nodes.read_literal(argument) for argument in arguments]
        if texts[0] is not None and texts[2] is None:
            # The last is no literal, so it is not the message.
            return values[1], values[2], 0.0
    expected, tolerance = conditions.read_approximation(arguments[1], variables)
    return values[0], expected, tolerance


def _read_approximate(
    name: str, actual: Value, arguments: list[SgNode], variables: Variables
) -> list[Assertion]:
    """Read an approximate equality.

    Jest's `toBeCloseTo(3.14, 2)` and unittest's `assertAlmostEqual(x, 3.14, 2)` count digits: they
    allow 0.005. `assertAlmostEqual(x, 3.14, delta=2)` and others give the distance itself.
    """
    if not arguments:
        return []
    expected, *others = (evaluate(nodes.get_value(node), variables) for node in arguments)
    tolerance = 0.0
    if others:
        keyword = arguments[1].text().partition("=")[0].strip()
        if others[0].literals:
            tolerance = conditions.parse_magnitude(others[0].literals[0])
        if name == "tobecloseto" or (name.startswith("assertalmost") and keyword != "delta"):
            tolerance = 10.0**-tolerance / 2
    return conditions.make_assertions(EXACT, actual, expected, tolerance=tolerance)


def read_raised(actual: Value, errors: Sequence[SgNode], variables: Variables) -> list[Assertion]:
    """Return the assertion that an error is raised, with its names and messages as literals.

    `errors` are the expressions that describe it, as in `raises(ValueError, match="stock")`.
    A broad error such as `Exception`, or one of several, makes the assertion partial.
    """
    names = tuple(name for error in errors for name in _list_error_names(error, variables))
    is_vague = not names or BROAD_ERRORS.intersection(names)
    strength = PARTIAL if is_vague or any(error.kind() == "tuple" for error in errors) else EXACT
    # Not known even without calls, or else `1 / 0` would count as a constant that asserts nothing.
    raising = Value(actual.literals, actual.calls, known=False)
    return conditions.make_assertions(strength, raising, Value(names))


def _list_error_names(node: SgNode, variables: Variables) -> Iterator[str]:
    """Yield the names and messages in an expression that describes an error."""
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
        errors, action = arguments[:1], arguments[1:]
    elif name.startswith("assertthrows"):
        # JUnit: `assertThrows(Error.class, () -> f(-1), "message")`
        errors, action = arguments[:1], arguments[1:2]
    else:
        # `assert.throws(() => f(-1), RangeError)`
        errors, action = arguments[1:2], arguments[:1]
    value = combine(evaluate_all(action, variables))
    # `f` in `assertRaises(Error, f, -1)` is called although no call of it is written.
    function = frozenset(
        argument.text().rpartition(".")[2]
        for argument in action[:1]
        if argument.kind() in nodes.NAMES | nodes.MEMBERS
    )
    return read_raised(Value(value.literals, value.calls | function), errors, variables)
