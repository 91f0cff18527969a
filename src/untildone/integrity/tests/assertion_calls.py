"""Assertion calls of the test libraries: `assertEqual(a, b)`, `expect(a).toBe(b)`, …"""

from collections.abc import Iterator

from ast_grep_py import SgNode

from untildone.integrity.tests.conditions import (
    is_numeric,
    make_assertions,
    parse_magnitude,
    read_approximation,
    read_condition,
)
from untildone.integrity.tests.model import EXACT, PARTIAL, WEAK, Assertion
from untildone.integrity.tests.values import Value, Variables, combine, evaluate
from untildone.syntax.nodes import (
    CALLS,
    MEMBERS,
    NAMES,
    get_member,
    get_receiver,
    get_value,
    list_arguments,
    list_parts,
    read_callee,
    read_literal,
    unwrap,
)

# Names are compared in lower case without underscores.
_EQUAL = frozenset(
    (
        *("equal", "equals", "strictequal", "deepequal", "deepstrictequal", "eql", "tobe", "is"),
        *("toequal", "tostrictequal", "assertequal", "assertequals", "asserteq", "assertis"),
        *("assertlistequal", "assertdictequal", "asserttupleequal", "assertsetequal", "same"),
        *("assertsequenceequal", "assertmultilineequal", "assertcountequal", "assertarrayequals"),
        *("assertsame", "assertiterableequals", "equalvalues", "elementsmatch", "jsoneq", "len"),
        *("isequalto", "containsexactly", "tohavelength", "lengthof", "hassize", "issameas"),
        *("tomatchsnapshot", "tomatchinlinesnapshot", "debugasserteq", "exactly", "matchsnapshot"),
        *("tohavebeencalledwith", "tohavebeencalledtimes", "assertarrayequal", "assertframeequal"),
    )
)
_NULL = frozenset(
    ("assertisnone", "assertnull", "tobenull", "tobeundefined", "isnull", "nil", "null")
)
_CLOSE = frozenset(
    (
        *("tobecloseto", "assertalmostequal", "assertalmostequals", "closeto", "approximately"),
        *("indelta", "inepsilon", "assertallclose", "iscloseto", "approx", "isclose", "allclose"),
    )
)
_TRUE = frozenset(("ok", "asserttrue", "true", "assert", "debugassert", "istrue", "tobetruthy"))
_FALSE = frozenset(("assertfalse", "false", "isfalse", "tobefalsy", "notok", "refute"))
_PRESENT = frozenset(
    (
        *("assertisnotnone", "assertnotnull", "tobedefined", "notnil", "notnull", "isnotnull"),
        *("noerror", "doesnotthrow", "assertdoesnotthrow", "exists", "exist", "error", "isdefined"),
        *("doesnotreject", "isnotempty", "notempty", "tohavebeencalled", "assertcalled"),
    )
)
_THROWS = frozenset(
    (
        *("assertraises", "assertraisesregex", "throws", "rejects", "tothrow", "tothrowerror"),
        *("assertthrows", "assertthrowsexactly", "raises", "panics", "isthrownby", "throw"),
    )
)
BROAD_ERRORS = frozenset(("Exception", "BaseException", "Throwable", "RuntimeException"))
_CHAIN_ROOTS = frozenset(("expect", "assertThat", "assertWithMessage", "should", "expectTypeOf"))
_RECEIVERS = frozenset(
    (
        *("assert", "Assert", "Assertions", "require", "self", "t", "chai", "np", "numpy"),
        *("testing", "tap", "test", "unittest", "suite", "s", "is", "a", "r", "c", "cls", "this"),
        *("ctx", "pytest"),
    )
)
_OTHER_NAMES = frozenset(
    (
        *(
            "notequal",
            "notstrictequal",
            "notdeepequal",
            "notdeepstrictequal",
            "contains",
            "greater",
        ),
        *("less", "regexp", "match", "doesnotmatch", "include", "subset", "isinstanceof", "zero"),
        *("greaterorequal", "lessorequal", "notcontains", "empty", "iserror", "errorcontains"),
    )
)
_KNOWN_NAMES = _EQUAL | _NULL | _CLOSE | _TRUE | _FALSE | _PRESENT | _THROWS | _OTHER_NAMES
_FUNCTION_NAMES = NAMES | MEMBERS
_NULL_VALUE = Value(("null",))


def normalize_name(name: str) -> str:
    return name.replace("_", "").lower()


def split_chain(node: SgNode | None) -> tuple[SgNode | None, list[str]]:
    """Split `expect(x).not.to` into the call of `expect` and the words after it."""
    words: list[str] = []
    while node is not None:
        node = unwrap(node)
        if node.kind() in MEMBERS:
            words.append(get_member(node))
            node = get_receiver(node)
        elif node.kind() in CALLS:
            held, name = read_callee(node)
            if (
                (name in _CHAIN_ROOTS and held is None)
                or name == "assertThat"
                or _is_soft_assertion(held, name)
            ):
                return node, words
            words.append(name)
            node = held
        else:
            return node, words
    return None, words


def _is_soft_assertion(held: SgNode | None, name: str) -> bool:
    """`expect.soft(x)` fails its test as `expect(x)` does, only later."""
    return name in ("soft", "poll") and held is not None and held.text() in _CHAIN_ROOTS


def read_assertions(call: SgNode, variables: Variables) -> list[Assertion] | None:
    """Return the assertions of a call or of `expect(x).to.be.true`; None if it is no assertion."""
    if call.kind() in MEMBERS:
        held, name, given = get_receiver(call), get_member(call), []
    else:
        (held, name), given = read_callee(call), list_arguments(call)
    root, words = split_chain(held)
    if root is not None and root.kind() in CALLS:
        negated = "not" in words or "never" in words
        actual = combine(evaluate(each, variables) for each in list_arguments(root))
        return list(_read_matcher(normalize_name(name), actual, given, variables, negated=negated))
    owned = root is not None and root.kind() in NAMES and root.text() in _RECEIVERS
    if not owned and not name.startswith(("assert", "debug_assert", "strictEqual", "deepStrict")):
        return None
    if (
        not normalize_name(name).startswith("assert")
        and normalize_name(name) not in _KNOWN_NAMES
        and normalize_name(name) != "match"
    ):
        return None
    return _read_direct(normalize_name(name), _drop_test_handle(given), variables)


def _drop_test_handle(given: list[SgNode]) -> list[SgNode]:
    """Drop the `t` that testify takes as its first argument."""
    return (
        given[1:] if given and given[0].text() in ("t", "s.T()", "suite.T()", "tt", "b") else given
    )


def _read_matcher(
    name: str, actual: Value, given: list[SgNode], variables: Variables, *, negated: bool
) -> Iterator[Assertion]:
    expected = combine(evaluate(each, variables) for each in given)
    if name == "tomatchinlinesnapshot":
        # Its indentation follows the code around it.
        expected = Value(tuple(" ".join(each.split()) for each in expected.literals))
    if name in _THROWS:
        yield from (
            read_raised(actual, given, variables)
            if not negated
            else make_assertions(WEAK, actual, Value())
        )
    elif name in _CLOSE:
        yield from _read_approximate(name, actual, given, variables)
    elif name in _NULL:
        yield from (
            make_assertions(WEAK, actual, Value())
            if negated
            else make_assertions(EXACT, actual, _NULL_VALUE)
        )
    elif name in _TRUE | _FALSE | _PRESENT:
        yield from make_assertions(WEAK, actual, Value(), negated=negated != (name in _FALSE))
    elif name in _EQUAL:
        yield from make_assertions(PARTIAL if negated else EXACT, actual, expected, negated=negated)
    else:
        yield from make_assertions(PARTIAL, actual, expected, negated=negated)


def _read_direct(name: str, given: list[SgNode], variables: Variables) -> list[Assertion]:
    if not given:
        return []
    if name in _TRUE or name in _FALSE:
        return read_condition(given[0], variables, negated=name in _FALSE)
    first = evaluate(given[0], variables)
    if name in _THROWS:
        return list(_read_raising_call(name, given, variables))
    if name in _NULL or name in _PRESENT:
        return list(
            make_assertions(
                EXACT if name in _NULL else WEAK, first, Value(("null",) * (name in _NULL))
            )
        )
    if name in _CLOSE:
        return list(_read_approximate(name, first, given[1:], variables))
    if len(given) == 1:
        return list(make_assertions(PARTIAL, first, Value()))
    first, second, tolerance = _read_pair(given, variables)
    strength = EXACT if name in _EQUAL else PARTIAL
    return list(
        make_assertions(
            strength,
            first,
            second,
            tolerance=tolerance,
            negated="not" in name or name == "assertne",
        )
    )


def _read_pair(given: list[SgNode], variables: Variables) -> tuple[Value, Value, float]:
    """Return actual, expected and tolerance of two or three arguments.

    The third is a tolerance or a message; JUnit 4 has the message first.
    """
    values = [evaluate(each, variables) for each in given]
    third = values[2].literals if len(values) > 2 else ()
    if len(values) == 3 and values[2].known and len(third) == 1 and is_numeric(third[0]):
        return values[0], values[1], parse_magnitude(third[0])
    if len(values) == 3 and read_literal(given[0]) is not None and read_literal(given[2]) is None:
        return values[1], values[2], 0.0
    expected, tolerance = read_approximation(given[1], variables)
    return values[0], expected, tolerance


def _read_approximate(
    name: str, actual: Value, given: list[SgNode], variables: Variables
) -> Iterator[Assertion]:
    """Read an approximate equality; Jest and unittest count digits, others give a distance."""
    if not given:
        return
    more = [evaluate(get_value(each), variables) for each in given]
    far = parse_magnitude(more[1].literals[0]) if len(more) > 1 and more[1].literals else 0.0
    keyed = given[1].text().partition("=")[0] if len(given) > 1 else ""
    digits = name == "tobecloseto" or (name.startswith("assertalmost") and keyed.strip() != "delta")
    tolerance = 10.0**-far / 2 if digits and len(more) > 1 else far
    yield from make_assertions(EXACT, actual, more[0], tolerance=tolerance)


def read_raised(actual: Value, kinds: list[SgNode], variables: Variables) -> Iterator[Assertion]:
    """Yield the assertion that an error is raised, with its names and messages as literals."""
    errors = [each for kind in kinds for each in _list_error_names(kind, variables)]
    vague = (
        not errors
        or BROAD_ERRORS.intersection(errors)
        or any(each.kind() == "tuple" for each in kinds)
    )
    expected = Value(tuple(errors))
    doubt = Value(actual.literals, actual.calls, known=False)
    yield from make_assertions(PARTIAL if vague else EXACT, doubt, expected)


def _list_error_names(node: SgNode, variables: Variables) -> Iterator[str]:
    node = unwrap(get_value(node))
    if (written := read_literal(node)) is not None:
        yield written
    elif node.kind() in MEMBERS:
        yield get_member(node)
    elif node.kind() == "pair" and list_parts(node)[0].text() == "name":
        # `{ name: 'TypeError' }` asserts the same as `TypeError`.
        yield from (
            each.removeprefix('"') for each in evaluate(list_parts(node)[-1], variables).literals
        )
    elif node.kind() in (*NAMES, "type_identifier"):
        yield from variables[node.text()].literals if node.text() in variables else (node.text(),)
    else:
        for each in list_parts(node):
            yield from _list_error_names(each, variables)


def _read_raising_call(name: str, given: list[SgNode], variables: Variables) -> Iterator[Assertion]:
    """Read `assertRaises(Error, f, -1)` or `throws(() => f(-1), Error)`."""
    if name.startswith(("assertraises", "raises")):
        kinds, action = given[:1], given[1:]
    elif name.startswith("assertthrows"):
        kinds, action = given[:1], given[1:2]
    else:
        kinds, action = given[1:2], given[:1]
    done = combine(evaluate(each, variables) for each in action)
    passed = frozenset(
        each.text().rpartition(".")[2] for each in action[:1] if each.kind() in _FUNCTION_NAMES
    )
    yield from read_raised(Value(done.literals, done.calls | passed, known=False), kinds, variables)
