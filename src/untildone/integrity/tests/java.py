"""Reads JUnit tests: annotated methods of classes."""

import re
from collections.abc import Iterator, Mapping

from ast_grep_py import SgNode

from untildone.integrity.tests.assertion_calls import read_raised
from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.model import EXACT, Test
from untildone.integrity.tests.values import Value, Variables, evaluate, make_sequence
from untildone.syntax.nodes import (
    find_below,
    find_named,
    list_parts,
    normalize_number,
    read_literal,
)

_TEST_ANNOTATIONS = frozenset(
    ("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate")
)
_SKIP_ANNOTATION = re.compile(r"(Disabled|Ignore|Enabled)\w*")
_SET_UP_ANNOTATIONS = frozenset(("BeforeEach", "Before", "BeforeAll", "BeforeClass"))
_ANNOTATIONS = frozenset(("annotation", "marker_annotation"))


def list_functions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    return find_named(root, frozenset(("method_declaration",)))


def read_tests(path: str, root: SgNode, shared: Mapping[str, SgNode]) -> Iterator[Test]:
    for each in list_parts(root):
        if each.kind() == "class_declaration":
            yield from _read_class(path, each, "", frozenset(), shared)


def _list_annotations(node: SgNode) -> dict[str, SgNode]:
    held = next((each for each in list_parts(node) if each.kind() == "modifiers"), None)
    found = (
        [each for each in list_parts(held) if each.kind() in _ANNOTATIONS]
        if held is not None
        else []
    )
    return {_read_name(each): each for each in found}


def _read_name(annotation: SgNode) -> str:
    name = annotation.field("name")
    return name.text().rpartition(".")[2] if name is not None else ""


def _read_marks(node: SgNode) -> frozenset[str]:
    marks = {f"`@{name}`" for name in _list_annotations(node) if _SKIP_ANNOTATION.fullmatch(name)}
    modifiers = next((each.text() for each in list_parts(node) if each.kind() == "modifiers"), "")
    return frozenset(
        marks
        | {f"`{word}`" for word in ("private", "abstract") if re.search(rf"\b{word}\b", modifiers)}
    )


def _read_class(
    path: str, node: SgNode, prefix: str, marks: frozenset[str], shared: Mapping[str, SgNode]
) -> Iterator[Test]:
    name, body = node.field("name"), node.field("body")
    if name is None or body is None:
        return
    known = {**shared, **dict(list_functions(body))}
    variables: Variables = {}
    inside = prefix + name.text() + "::"
    held = marks | _read_marks(node) | _run_set_up(body, known, variables)
    for each in list_parts(body):
        if each.kind() == "class_declaration":
            yield from _read_class(path, each, inside, held, known)
        elif (
            each.kind() == "method_declaration"
            and _TEST_ANNOTATIONS & _list_annotations(each).keys()
        ):
            yield _read_test(path, inside, each, (held, known, variables))


def _run_set_up(body: SgNode, known: Mapping[str, SgNode], variables: Variables) -> frozenset[str]:
    interpreter = Interpreter(known)
    for each in list_parts(body):
        if each.kind() == "field_declaration":
            interpreter.run_statement(each, variables, EXACT)
        elif (
            each.kind() == "method_declaration"
            and _SET_UP_ANNOTATIONS & _list_annotations(each).keys()
        ):
            held = each.field("body")
            if held is not None:
                interpreter.run_block(held, variables)
    return frozenset(interpreter.marks)


def _read_test(
    path: str,
    prefix: str,
    node: SgNode,
    place: tuple[frozenset[str], Mapping[str, SgNode], Variables],
) -> Test:
    marks, known, outer = place
    interpreter = Interpreter(known)
    name, body = node.field("name"), node.field("body")
    annotations = _list_annotations(node)
    if body is not None:
        for row in _list_rows(annotations, outer):
            variables = {**outer, **_bind_row(node, row)}
            interpreter.run_block(body, variables)
            expected = _list_expected_errors(annotations)
            if expected:
                interpreter.assertions += read_raised(
                    evaluate(body, variables), expected, variables
                )
    label = prefix + (name.text() if name is not None else "")
    return Test(
        path, label, tuple(interpreter.assertions), marks | _read_marks(node) | interpreter.marks
    )


def _list_expected_errors(annotations: Mapping[str, SgNode]) -> list[SgNode]:
    """List the errors of JUnit 4's `@Test(expected = X.class)`."""
    test = annotations.get("Test")
    pairs = find_below(test, frozenset(("element_value_pair",))) if test is not None else ()
    return [list_parts(each)[-1] for each in pairs if each.text().startswith("expected")]


def _list_rows(annotations: Mapping[str, SgNode], variables: Variables) -> list[Value]:
    given = [each for name, each in annotations.items() if name.endswith("Source")]
    if not given:
        return [Value()]
    rows: list[Value] = []
    for each in given:
        held = next(find_below(each, frozenset(("element_value_array_initializer",))), None)
        parts = list_parts(held) if held is not None else list(find_below(each, _STRINGS))
        rows += [
            _read_csv_row(part, variables)
            if _read_name(each) == "CsvSource"
            else evaluate(part, variables)
            for part in parts
        ]
    return rows or [Value(known=False)]


_STRINGS = frozenset(("string_literal",))


def _read_csv_row(node: SgNode, variables: Variables) -> Value:
    text = read_literal(node)
    if text is None:
        return evaluate(node, variables)
    cells = [part.strip().strip("'") for part in text.removeprefix('"').split(",")]
    return make_sequence(
        [
            Value((normalize_number(each) if re.match(r"-?\d", each) else f'"{each}',))
            for each in cells
        ]
    )


def _bind_row(node: SgNode, row: Value) -> Variables:
    parameters = node.field("parameters")
    labels = [
        name.text()
        for each in (list_parts(parameters) if parameters is not None else ())
        if (name := each.field("name")) is not None
    ]
    if len(labels) == 1:
        return {labels[0]: row}
    return {label: row.fields.get(str(place), row) for place, label in enumerate(labels)}
