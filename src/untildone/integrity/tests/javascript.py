"""Reads tests of Vitest, Jest, node:test and Mocha: calls with a name and a function.

`describe("cart", () => { test.each(rows)("adds", …) })` gives the test `cart::adds` with the
assertions of all rows.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial

from ast_grep_py import SgNode
from msgspec import Struct

from untildone.integrity.tests.evaluation import evaluate, evaluate_all
from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.model import EXACT, Test
from untildone.integrity.tests.values import (
    UNKNOWN,
    Value,
    Variables,
    combine,
    list_rows,
    make_sequence,
)
from untildone.syntax import nodes
from untildone.words import words

_TEST_WORDS = words("test it specify xit xtest fit xspecify ftest")
_GROUP_WORDS = words("describe suite context xdescribe fdescribe xcontext group")
_SET_UP_WORDS = words("beforeEach beforeAll before setup")
# `test.skip(…)`, `test.fails(…)`: they skip the test or expect it to fail.
_SKIP_WORDS = words("skip todo fails failing skipIf runIf fixme")
# Like `.only`, they keep all other tests of the file from running.
_FOCUS_WORDS = words("fit fdescribe ftest")


class _Group(Struct, frozen=True):
    """A `describe`: what precedes the names of its tests, as `cart::`, and their marks."""

    prefix: str = ""
    marks: frozenset[str] = frozenset()


class _FileTests(Struct, frozen=True):
    """What is known of one file while it is read."""

    path: str
    # By name, since several calls may have the same one.
    tests: dict[str, list[Test]]
    # The groups around the current call, the innermost last.
    groups: list[_Group]
    # Names of the tests and groups with `.only`.
    focused: set[str]


class _Call(Struct, frozen=True):
    """The parts of `test.only.each(rows)("adds", …)`."""

    word: str  # test
    modifiers: tuple[str, ...]  # each, only
    table: SgNode | None  # rows
    arguments: list[SgNode]  # "adds", …

    @property
    def body(self) -> SgNode | None:
        """The function that holds the statements of the test."""
        closures = (part for part in self.arguments if part.kind() in nodes.CLOSURES)
        return next(closures, None)

    def has_option(self, name: str) -> bool:
        """Whether the call has an argument `{ skip: true }`."""
        objects = (part for part in self.arguments if part.kind() == "object")
        for member in (member for options in objects for member in nodes.list_parts(options)):
            parts = nodes.list_parts(member)
            if member.kind() == "pair" and parts[0].text().strip("\"'") == name:
                return nodes.read_literal(parts[-1]) not in ("false", "null")
        return False

    def list_rows(self, variables: Variables) -> list[Value]:
        """Return the rows of `test.each(rows)`; one unknown row for a test without a table."""
        return [UNKNOWN] if self.table is None else list_rows(_read_table(self.table, variables))

    def list_marks(self) -> frozenset[str]:
        """Return the words and options that skip the test or expect it to fail."""
        marks = [f"`.{word}`" for word in self.modifiers if word in _SKIP_WORDS]
        # xit, xtest, xdescribe
        marks += [f"`{self.word}`"] if self.word.startswith("x") else []
        marks += (f"`{{ {option}: … }}`" for option in _SKIP_WORDS if self.has_option(option))
        return frozenset(marks)


def list_functions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    """Yield the functions of the file by name, also those that are assigned to a variable."""
    yield from nodes.find_named(root, nodes.FUNCTIONS)
    for name, node in nodes.find_named(root, frozenset(("variable_declarator",))):
        if (function := node.field("value")) is not None and function.kind() in nodes.CLOSURES:
            yield name, function


def read_tests(path: str, root: SgNode, shared: Mapping[str, SgNode]) -> Iterator[Test]:
    """Yield the tests of the file; calls with the same name are one test."""
    file = _FileTests(path, {}, [_Group()], set())
    functions = {**shared, **dict(list_functions(root))}
    interpreter = Interpreter(functions, partial(_read_call, file))
    interpreter.run_block(root, {})
    for name, tests in file.tests.items():
        assertions = tuple(assertion for test in tests for assertion in test.assertions)
        marks = frozenset(interpreter.skips).union(*(test.marks for test in tests))
        is_focused = any(f"{name}::".startswith(f"{focus}::") for focus in file.focused)
        if file.focused and not is_focused:
            marks |= {f"`.only` on `{min(file.focused)}`"}
        yield Test(path, name, assertions, marks)


def _read_call(
    file: _FileTests,
    interpreter: Interpreter,
    node: SgNode,
    variables: Variables,
    max_strength: int,
) -> bool:
    """Read a test, a group or a set-up hook; return False for any other call."""
    call = _parse_call(node)
    if call.word in _SET_UP_WORDS:
        for argument in call.arguments:
            if argument.kind() in nodes.CLOSURES:
                interpreter.run_block(argument.field("body"), variables)
        return True
    if call.word not in _TEST_WORDS | _GROUP_WORDS or not call.arguments:
        return False
    group = file.groups[-1]
    # In `if (fast) test(…)` the strength is limited, because the call may not run.
    marks = group.marks if max_strength == EXACT else group.marks | {"a condition around it"}
    file.groups.append(_Group(group.prefix, marks))
    for row in call.list_rows(variables):
        _add_test(file, interpreter, call, row, variables)
    file.groups.pop()
    return True


def _parse_call(node: SgNode) -> _Call:
    """Take `test.only.each(rows)("adds", …)` apart; the word is "" for calls of another form."""
    modifiers: list[str] = []
    table = None
    function = node.field("function")
    while function is not None and function.kind() in nodes.MEMBERS | nodes.CALLS:
        if function.kind() in nodes.MEMBERS:
            modifiers.append(nodes.get_member(function))
            function = nodes.get_receiver(function)
            continue
        arguments = nodes.list_arguments(function)
        if nodes.read_callee(function)[1] in ("each", "for") and arguments:
            table = arguments[0]
        function = function.field("function")
    word = function.text() if function is not None and function.kind() == "identifier" else ""
    # t.test("name", …), QUnit.test("name", …)
    if word in ("t", "QUnit", "ava") and modifiers and modifiers[-1] in _TEST_WORDS:
        word = modifiers.pop()
    return _Call(word, tuple(modifiers), table, nodes.list_arguments(node))


def _read_table(node: SgNode, variables: Variables) -> Value:
    """Return the rows of a list or of a template such as

    total | want
    ${10} | ${9}
    """
    if node.kind() != "template_string":
        return evaluate(node, variables)
    columns = re.findall(r"[\w$]+", node.text().strip("`").strip().partition("\n")[0])
    holes = (part for part in nodes.list_parts(node) if part.kind() in nodes.INTERPOLATIONS)
    cells = evaluate_all(holes, variables)
    if not columns:
        return UNKNOWN
    starts = range(0, len(cells), len(columns))
    rows = [dict(zip(columns, cells[start:], strict=False)) for start in starts]
    return make_sequence([combine(row.values(), fields=row) for row in rows])


def _add_test(
    file: _FileTests, interpreter: Interpreter, call: _Call, row: Value, variables: Variables
) -> None:
    """Add a test with the assertions of its body, or read the tests of a group."""
    group = file.groups[-1]
    name = f"{group.prefix}{_read_label(call.arguments[0], variables)}"
    marks = group.marks | call.list_marks()
    if call.word in _FOCUS_WORDS or "only" in call.modifiers or call.has_option("only"):
        file.focused.add(name)
    if call.word in _GROUP_WORDS:
        file.groups.append(_Group(f"{name}::", marks))
        if call.body is not None:
            interpreter.run_closure(call.body, row, variables)
        file.groups.pop()
        return
    inside = Interpreter(interpreter.functions, _read_subtest)
    if call.body is not None:
        inside.run_closure(call.body, row, variables)
    test = Test(file.path, name, tuple(inside.assertions), marks | inside.skips)
    file.tests.setdefault(name, []).append(test)


def _read_subtest(
    interpreter: Interpreter, node: SgNode, variables: Variables, max_strength: int
) -> bool:
    """Read `t.test("name", fn)` of node:test as a part of the test around it."""
    call = _parse_call(node)
    if call.word not in _TEST_WORDS:
        return False
    interpreter.skips |= call.list_marks()
    for row in call.list_rows(variables):
        if call.body is not None:
            interpreter.run_closure(call.body, row, variables, max_strength)
    return True


def _read_label(node: SgNode, variables: Variables) -> str:
    """Return the name of a test, with variables filled in where they are known."""
    literals = evaluate(node, variables).literals
    return " ".join(literal.removeprefix('"') for literal in literals) or node.text()
