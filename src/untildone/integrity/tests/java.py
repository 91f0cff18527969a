"""JUnit: annotated methods of test classes."""

import re
from collections.abc import Iterator, Mapping

from ast_grep_py import SgNode

from untildone.integrity.tests.claims import thrown
from untildone.integrity.tests.model import Test
from untildone.integrity.tests.values import Names, Value, sequence, value
from untildone.integrity.tests.walk import Walk
from untildone.syntax.nodes import find_below, list_parts, normalize_number, read_literal

_TEST = frozenset(("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate"))
_MARK = re.compile(r"(Disabled|Ignore|Enabled)\w*")
_SET_UP = frozenset(("BeforeEach", "Before", "BeforeAll", "BeforeClass"))
_ANNOTATIONS = frozenset(("annotation", "marker_annotation"))


def functions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    for node in find_below(root, frozenset(("method_declaration",))):
        name = node.field("name")
        if name is not None:
            yield name.text(), node


def tests(path: str, root: SgNode, shared: Mapping[str, SgNode]) -> Iterator[Test]:
    for each in list_parts(root):
        if each.kind() == "class_declaration":
            yield from _in_class(path, each, "", frozenset(), shared)


def _annotations(node: SgNode) -> dict[str, SgNode]:
    held = next((each for each in list_parts(node) if each.kind() == "modifiers"), None)
    found = (
        [each for each in list_parts(held) if each.kind() in _ANNOTATIONS]
        if held is not None
        else []
    )
    return {_name(each): each for each in found}


def _name(annotation: SgNode) -> str:
    name = annotation.field("name")
    return name.text().rpartition(".")[2] if name is not None else ""


def _marks(node: SgNode) -> frozenset[str]:
    marks = {f"`@{name}`" for name in _annotations(node) if _MARK.fullmatch(name)}
    modifiers = next((each.text() for each in list_parts(node) if each.kind() == "modifiers"), "")
    return frozenset(
        marks
        | {f"`{word}`" for word in ("private", "abstract") if re.search(rf"\b{word}\b", modifiers)}
    )


def _in_class(
    path: str, node: SgNode, prefix: str, marks: frozenset[str], shared: Mapping[str, SgNode]
) -> Iterator[Test]:
    name, body = node.field("name"), node.field("body")
    if name is None or body is None:
        return
    known = {**shared, **dict(functions(body))}
    names: Names = {}
    inside = prefix + name.text() + "::"
    held = marks | _marks(node) | _prepared(body, known, names)
    for each in list_parts(body):
        if each.kind() == "class_declaration":
            yield from _in_class(path, each, inside, held, known)
        elif each.kind() == "method_declaration" and _TEST & _annotations(each).keys():
            yield _test(path, inside, each, (held, known, names))


def _prepared(body: SgNode, known: Mapping[str, SgNode], names: Names) -> frozenset[str]:
    walk = Walk(known)
    for each in list_parts(body):
        if each.kind() == "field_declaration":
            walk.statement(each, names, 3)
        elif each.kind() == "method_declaration" and _SET_UP & _annotations(each).keys():
            held = each.field("body")
            if held is not None:
                walk.block(held, names)
    return frozenset(walk.marks)


def _test(
    path: str, prefix: str, node: SgNode, place: tuple[frozenset[str], Mapping[str, SgNode], Names]
) -> Test:
    marks, known, outer = place
    walk = Walk(known)
    name, body = node.field("name"), node.field("body")
    annotations = _annotations(node)
    if body is not None:
        for row in _rows(annotations, outer):
            names = {**outer, **_filled(node, row)}
            walk.block(body, names)
            expected = _expected(annotations)
            if expected:
                walk.claims += thrown(value(body, names), expected, names)
    label = prefix + (name.text() if name is not None else "")
    return Test(path, label, tuple(walk.claims), marks | _marks(node) | walk.marks)


def _expected(annotations: Mapping[str, SgNode]) -> list[SgNode]:
    """JUnit 4: `@Test(expected = X.class)`"""
    test = annotations.get("Test")
    pairs = find_below(test, frozenset(("element_value_pair",))) if test is not None else ()
    return [list_parts(each)[-1] for each in pairs if each.text().startswith("expected")]


def _rows(annotations: Mapping[str, SgNode], names: Names) -> list[Value]:
    given = [each for name, each in annotations.items() if name.endswith("Source")]
    if not given:
        return [Value()]
    rows: list[Value] = []
    for each in given:
        held = next(find_below(each, frozenset(("element_value_array_initializer",))), None)
        parts = list_parts(held) if held is not None else list(find_below(each, _STRINGS))
        rows += [
            _csv(part, names) if _name(each) == "CsvSource" else value(part, names)
            for part in parts
        ]
    return rows or [Value(known=False)]


_STRINGS = frozenset(("string_literal",))


def _csv(node: SgNode, names: Names) -> Value:
    text = read_literal(node)
    if text is None:
        return value(node, names)
    cells = [part.strip().strip("'") for part in text.removeprefix('"').split(",")]
    return sequence(
        [
            Value((normalize_number(each) if re.match(r"-?\d", each) else f'"{each}',))
            for each in cells
        ]
    )


def _filled(node: SgNode, row: Value) -> Names:
    parameters = node.field("parameters")
    labels = [
        name.text()
        for each in (list_parts(parameters) if parameters is not None else ())
        if (name := each.field("name")) is not None
    ]
    if len(labels) == 1:
        return {labels[0]: row}
    return {label: row.fields.get(str(place), row) for place, label in enumerate(labels)}
