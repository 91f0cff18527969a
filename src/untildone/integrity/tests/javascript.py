"""Reads tests of Vitest, Jest, node:test and Mocha: calls with a name and a function."""

import re
from collections.abc import Iterator, Mapping

from ast_grep_py import SgNode
from msgspec import Struct

from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.model import EXACT, Assertion, Test
from untildone.integrity.tests.values import (
    UNKNOWN,
    Value,
    Variables,
    combine,
    evaluate,
    make_sequence,
)
from untildone.syntax.nodes import (
    CALLS,
    CLOSURES,
    FUNCTIONS,
    MEMBERS,
    find_named,
    get_member,
    get_receiver,
    list_arguments,
    list_parts,
    read_callee,
    read_literal,
)

_TEST_WORDS = frozenset(("test", "it", "specify", "xit", "xtest", "fit", "xspecify", "ftest"))
_GROUP_WORDS = frozenset(
    ("describe", "suite", "context", "xdescribe", "fdescribe", "xcontext", "group")
)
_SET_UP_WORDS = frozenset(("beforeEach", "beforeAll", "before", "setup"))
_SKIP_WORDS = frozenset(("skip", "todo", "fails", "failing", "skipIf", "runIf", "fixme"))
_FOCUS_WORDS = frozenset(("fit", "fdescribe", "ftest"))


class _Group(Struct):
    name: str
    marks: frozenset[str]


class _FileTests(Struct):
    """The tests, open groups and focused names of one file while it is read."""

    tests: dict[str, list[Test]]
    groups: list[_Group]
    focused: set[str]
    path: str


def list_functions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    yield from find_named(root, FUNCTIONS)
    for name, node in find_named(root, frozenset(("variable_declarator",))):
        if (function := node.field("value")) is not None and function.kind() in CLOSURES:
            yield name, function


def read_tests(path: str, root: SgNode, shared: Mapping[str, SgNode]) -> Iterator[Test]:
    found = _FileTests({}, [_Group("", frozenset())], set(), path)
    known = {**shared, **dict(list_functions(root))}
    interpreter = Interpreter(
        known,
        lambda inside, call, variables, limit: _read_call(found, inside, call, (variables, limit)),
    )
    interpreter.run_block(root, {})
    outside = frozenset(interpreter.marks)
    for name, same in found.tests.items():
        assertions = tuple(assertion for each in same for assertion in each.assertions)
        marks = frozenset(mark for each in same for mark in each.marks) | outside
        others = found.focused - {name} if not _is_focused(name, found.focused) else frozenset()
        focus_marks = frozenset((f"`.only` on `{sorted(others)[0]}`",)) if others else frozenset()
        yield Test(path, name, assertions, marks | focus_marks)


def _is_focused(name: str, focused: set[str]) -> bool:
    return any(name == each or name.startswith(f"{each}::") for each in focused)


def _read_call(
    found: _FileTests, interpreter: Interpreter, call: SgNode, at: tuple[Variables, int]
) -> bool:
    """Read a test, a group or a set-up hook; return False for any other call."""
    variables, limit = at
    word, extras, table = _split_call_name(call)
    if word in _SET_UP_WORDS:
        for each in list_arguments(call):
            if each.kind() in CLOSURES:
                body = each.field("body")
                if body is not None:
                    interpreter.run_block(body, variables)
        return True
    if word not in _TEST_WORDS | _GROUP_WORDS or not list_arguments(call):
        return False
    rows = [UNKNOWN] if table is None else interpreter.rows(_read_table(table, variables))
    group = found.groups[-1]
    if limit < EXACT:
        found.groups.append(_Group(group.name, group.marks | {"a condition around it"}))
    for row in rows:
        _add_test(found, interpreter, call, (word, extras, row, variables))
    if limit < EXACT:
        found.groups.pop()
    return True


def _split_call_name(call: SgNode) -> tuple[str, list[str], SgNode | None]:
    """Split `test.only.each(rows)` into its first word, the words after it, and the rows."""
    words: list[str] = []
    table = None
    node = call.field("function")
    while node is not None:
        if node.kind() in MEMBERS:
            words.append(get_member(node))
            node = get_receiver(node)
        elif node.kind() in CALLS:
            if read_callee(node)[1] in ("each", "for") and list_arguments(node):
                table = list_arguments(node)[0]
            node = node.field("function")
        else:
            break
    if node is None or node.kind() != "identifier":
        return "", [], None
    word = node.text()
    if word in ("t", "QUnit", "ava") and words and words[-1] in _TEST_WORDS:
        word = words.pop()
    return word, words, table


def _read_table(node: SgNode, variables: Variables) -> Value:
    """Return the rows of a list, or of a tagged template with a header line."""
    if node.kind() != "template_string":
        return evaluate(node, variables)
    columns = re.findall(r"[\w$]+", node.text().strip("`").strip().partition("\n")[0])
    cells = [
        evaluate(each, variables)
        for each in list_parts(node)
        if each.kind() == "template_substitution"
    ]
    if not columns:
        return UNKNOWN
    starts = range(0, len(cells), len(columns))
    lines = [cells[start : start + len(columns)] for start in starts]
    return make_sequence([_make_row(dict(zip(columns, line, strict=False))) for line in lines])


def _make_row(cells: dict[str, Value]) -> Value:
    whole = combine(cells.values())
    return Value(whole.literals, whole.calls, whole.known, cells)


def _add_test(
    found: _FileTests,
    interpreter: Interpreter,
    call: SgNode,
    head: tuple[str, list[str], Value, Variables],
) -> None:
    word, extras, row, variables = head
    given = list_arguments(call)
    group = found.groups[-1]
    name = f"{group.name}{_read_label(given[0], variables)}"
    marks = group.marks | _read_marks(word, extras, given)
    if word in _FOCUS_WORDS or "only" in extras or _has_option(given, "only"):
        found.focused.add(name)
    body = next((each for each in given if each.kind() in CLOSURES), None)
    if word in _GROUP_WORDS:
        found.groups.append(_Group(f"{name}::", marks))
        if body is not None:
            interpreter.run_closure(body, row, variables)
        found.groups.pop()
        return
    assertions, more = _run_body(interpreter, body, row, variables)
    held = Test(found.path, name, assertions, marks | more)
    found.tests.setdefault(name, []).append(held)


def _run_body(
    interpreter: Interpreter, body: SgNode | None, row: Value, variables: Variables
) -> tuple[tuple[Assertion, ...], frozenset[str]]:
    if body is None:
        return (), frozenset()
    inside = Interpreter(interpreter.functions, _read_subtest)
    inside.run_closure(body, row, variables, EXACT)
    return tuple(inside.assertions), frozenset(inside.marks)


def _read_subtest(interpreter: Interpreter, call: SgNode, variables: Variables, limit: int) -> bool:
    """Read `t.test("name", fn)` of node:test as a part of the test around it."""
    word, extras, table = _split_call_name(call)
    if word not in _TEST_WORDS or call.field("function") is None:
        return False
    given = list_arguments(call)
    body = next((each for each in given if each.kind() in CLOSURES), None)
    interpreter.marks |= _read_marks(word, extras, given)
    rows = [UNKNOWN] if table is None else interpreter.rows(_read_table(table, variables))
    for row in rows:
        if body is not None:
            interpreter.run_closure(body, row, variables, limit)
    return True


def _read_label(node: SgNode, variables: Variables) -> str:
    written = read_literal(node)
    if written is not None:
        return written.removeprefix('"')
    held = evaluate(node, variables)
    return " ".join(each.removeprefix('"') for each in held.literals) or node.text()


def _read_marks(word: str, extras: list[str], given: list[SgNode]) -> frozenset[str]:
    marks = {f"`.{each}`" for each in extras if each in _SKIP_WORDS}
    if word.startswith("x"):
        marks.add(f"`{word}`")
    marks |= {f"`{{ {each}: … }}`" for each in sorted(_SKIP_WORDS) if _has_option(given, each)}
    return frozenset(marks)


def _has_option(given: list[SgNode], name: str) -> bool:
    for each in given:
        for pair in list_parts(each) if each.kind() == "object" else ():
            if pair.kind() == "pair" and list_parts(pair)[0].text().strip("\"'") == name:
                return read_literal(list_parts(pair)[-1]) not in ("false", "null")
    return False
