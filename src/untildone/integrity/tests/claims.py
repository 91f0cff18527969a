"""Which call asserts what, in the vocabulary of every test library."""

from collections.abc import Iterator

from ast_grep_py import SgNode

from untildone.integrity.tests.conditions import claim, condition, numeric, size, tolerated
from untildone.integrity.tests.model import EXACT, PARTIAL, WEAK, Claim
from untildone.integrity.tests.values import Names, Value, together, value
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

# Names in lower case without underscores.
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
_THERE = frozenset(
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
BROAD = frozenset(("Exception", "BaseException", "Throwable", "RuntimeException"))
_ROOTS = frozenset(("expect", "assertThat", "assertWithMessage", "should", "expectTypeOf"))
_OWNERS = frozenset(
    (
        *("assert", "Assert", "Assertions", "require", "self", "t", "chai", "np", "numpy"),
        *("testing", "tap", "test", "unittest", "suite", "s", "is", "a", "r", "c", "cls", "this"),
        *("ctx", "pytest"),
    )
)
_OTHERS = frozenset(
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
_KNOWN = _EQUAL | _NULL | _CLOSE | _TRUE | _FALSE | _THERE | _THROWS | _OTHERS
_PASSED = NAMES | MEMBERS
_NOTHING = Value(("null",))


def plain(name: str) -> str:
    return name.replace("_", "").lower()


def chain(node: SgNode | None) -> tuple[SgNode | None, list[str]]:
    """From `expect(x).not.to` back to the call of `expect`, with the words between."""
    words: list[str] = []
    while node is not None:
        node = unwrap(node)
        if node.kind() in MEMBERS:
            words.append(get_member(node))
            node = get_receiver(node)
        elif node.kind() in CALLS:
            held, name = read_callee(node)
            if (name in _ROOTS and held is None) or name == "assertThat" or _soft(held, name):
                return node, words
            words.append(name)
            node = held
        else:
            return node, words
    return None, words


def _soft(held: SgNode | None, name: str) -> bool:
    """`expect.soft(x)` fails its test as `expect(x)` does, only later."""
    return name in ("soft", "poll") and held is not None and held.text() in _ROOTS


def asserted(call: SgNode, names: Names) -> list[Claim] | None:
    """The claims of a call or of a word like `expect(x).to.be.true`; None if it asserts nothing."""
    if call.kind() in MEMBERS:
        held, name, given = get_receiver(call), get_member(call), []
    else:
        (held, name), given = read_callee(call), list_arguments(call)
    root, words = chain(held)
    if root is not None and root.kind() in CALLS:
        negated = "not" in words or "never" in words
        actual = together(value(each, names) for each in list_arguments(root))
        return list(_matched(plain(name), actual, given, names, negated=negated))
    owned = root is not None and root.kind() in NAMES and root.text() in _OWNERS
    if not owned and not name.startswith(("assert", "debug_assert", "strictEqual", "deepStrict")):
        return None
    if (
        not plain(name).startswith("assert")
        and plain(name) not in _KNOWN
        and plain(name) != "match"
    ):
        return None
    return _direct(plain(name), _without_handle(given), names)


def _without_handle(given: list[SgNode]) -> list[SgNode]:
    """testify is given the test itself first."""
    return (
        given[1:] if given and given[0].text() in ("t", "s.T()", "suite.T()", "tt", "b") else given
    )


def _matched(
    name: str, actual: Value, given: list[SgNode], names: Names, *, negated: bool
) -> Iterator[Claim]:
    expected = together(value(each, names) for each in given)
    if name == "tomatchinlinesnapshot":
        # It moves in and out with the code around it.
        expected = Value(tuple(" ".join(each.split()) for each in expected.literals))
    if name in _THROWS:
        yield from thrown(actual, given, names) if not negated else claim(WEAK, actual, Value())
    elif name in _CLOSE:
        yield from _closely(name, actual, given, names)
    elif name in _NULL:
        yield from claim(WEAK, actual, Value()) if negated else claim(EXACT, actual, _NOTHING)
    elif name in _TRUE | _FALSE | _THERE:
        yield from claim(WEAK, actual, Value(), negated=negated != (name in _FALSE))
    elif name in _EQUAL:
        yield from claim(PARTIAL if negated else EXACT, actual, expected, negated=negated)
    else:
        yield from claim(PARTIAL, actual, expected, negated=negated)


def _direct(name: str, given: list[SgNode], names: Names) -> list[Claim]:
    if not given:
        return []
    if name in _TRUE or name in _FALSE:
        return condition(given[0], names, negated=name in _FALSE)
    first = value(given[0], names)
    if name in _THROWS:
        return list(_thrown_by(name, given, names))
    if name in _NULL or name in _THERE:
        return list(
            claim(EXACT if name in _NULL else WEAK, first, Value(("null",) * (name in _NULL)))
        )
    if name in _CLOSE:
        return list(_closely(name, first, given[1:], names))
    if len(given) == 1:
        return list(claim(PARTIAL, first, Value()))
    first, second, slack = _pair(given, names)
    strength = EXACT if name in _EQUAL else PARTIAL
    return list(
        claim(strength, first, second, slack=slack, negated="not" in name or name == "assertne")
    )


def _pair(given: list[SgNode], names: Names) -> tuple[Value, Value, float]:
    """A third argument is a message, in JUnit 4 the first one, or how far off it may be."""
    values = [value(each, names) for each in given]
    third = values[2].literals if len(values) > 2 else ()
    if len(values) == 3 and values[2].known and len(third) == 1 and numeric(third[0]):
        return values[0], values[1], size(third[0])
    if len(values) == 3 and read_literal(given[0]) is not None and read_literal(given[2]) is None:
        return values[1], values[2], 0.0
    expected, slack = tolerated(given[1], names)
    return values[0], expected, slack


def _closely(name: str, actual: Value, given: list[SgNode], names: Names) -> Iterator[Claim]:
    """The tolerance is a distance, or a number of digits in two libraries."""
    if not given:
        return
    more = [value(get_value(each), names) for each in given]
    far = size(more[1].literals[0]) if len(more) > 1 and more[1].literals else 0.0
    keyed = given[1].text().partition("=")[0] if len(given) > 1 else ""
    digits = name == "tobecloseto" or (name.startswith("assertalmost") and keyed.strip() != "delta")
    slack = 10.0**-far / 2 if digits and len(more) > 1 else far
    yield from claim(EXACT, actual, more[0], slack=slack)


def thrown(actual: Value, kinds: list[SgNode], names: Names) -> Iterator[Claim]:
    """That something is raised, by the names and texts it is known by."""
    told = [each for kind in kinds for each in _error_names(kind, names)]
    vague = not told or BROAD.intersection(told) or any(each.kind() == "tuple" for each in kinds)
    expected = Value(tuple(told))
    doubt = Value(actual.literals, actual.calls, known=False)
    yield from claim(PARTIAL if vague else EXACT, doubt, expected)


def _error_names(node: SgNode, names: Names) -> Iterator[str]:
    node = unwrap(get_value(node))
    if (written := read_literal(node)) is not None:
        yield written
    elif node.kind() in MEMBERS:
        yield get_member(node)
    elif node.kind() == "pair" and list_parts(node)[0].text() == "name":
        # `{ name: 'TypeError' }` asks for what `TypeError` does.
        yield from (each.removeprefix('"') for each in value(list_parts(node)[-1], names).literals)
    elif node.kind() in (*NAMES, "type_identifier"):
        yield from names[node.text()].literals if node.text() in names else (node.text(),)
    else:
        for each in list_parts(node):
            yield from _error_names(each, names)


def _thrown_by(name: str, given: list[SgNode], names: Names) -> Iterator[Claim]:
    """`assertRaises(Error, f, -1)` or `throws(() => f(-1), Error)`"""
    if name.startswith(("assertraises", "raises")):
        kinds, action = given[:1], given[1:]
    elif name.startswith("assertthrows"):
        kinds, action = given[:1], given[1:2]
    else:
        kinds, action = given[1:2], given[:1]
    done = together(value(each, names) for each in action)
    passed = frozenset(
        each.text().rpartition(".")[2] for each in action[:1] if each.kind() in _PASSED
    )
    yield from thrown(Value(done.literals, done.calls | passed, known=False), kinds, names)
