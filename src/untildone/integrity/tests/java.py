"""Reads JUnit tests: annotated methods of classes, with the rows of parameterized ones.

`@ParameterizedTest @CsvSource({"10, 9", "20, 18"}) void prices(int total, int want)` in the class
`PriceTest` gives the test `PriceTest::prices` with the assertions of both rows.
"""

import re
from collections.abc import Iterator, Mapping

from ast_grep_py import SgNode

from untildone.core.late_patterns import compile_late
from untildone.integrity.tests.assertion_calls import read_raised
from untildone.integrity.tests.bindings import bind_row
from untildone.integrity.tests.evaluation import evaluate, evaluate_all
from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.model import EXACT, Test
from untildone.integrity.tests.scopes import Scope
from untildone.integrity.tests.values import UNKNOWN, Value, Variables, make_sequence
from untildone.syntax import nodes
from untildone.words import words

_TEST_ANNOTATIONS = words("Test ParameterizedTest RepeatedTest TestFactory TestTemplate")
_SET_UP_ANNOTATIONS = words("BeforeEach Before BeforeAll BeforeClass")
_SKIP_ANNOTATION = compile_late(r"(Disabled|Ignore|Enabled)\w*")
# JUnit does not run such a method or class.
_HIDING_MODIFIER = compile_late(r"\b(private|abstract)\b")


def list_functions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    """Yield the methods of the file by name."""
    return nodes.find_named(root, frozenset(("method_declaration",)))


def read_tests(path: str, root: SgNode, shared: Mapping[str, SgNode]) -> Iterator[Test]:
    """Yield the tests of the file; `shared` are helpers of other files."""
    scope = Scope(path=path, functions=shared, variables={})
    for node in nodes.list_parts(root):
        if node.kind() == "class_declaration":
            yield from _read_class(node, scope)


def _get_modifiers(node: SgNode) -> SgNode | None:
    """Return what precedes a class or method: `@Test public static`."""
    parts = nodes.list_parts(node)
    return next((part for part in parts if part.kind() == "modifiers"), None)


def _list_annotations(node: SgNode) -> dict[str, SgNode]:
    """Return the annotations of a class or method by name, without their package."""
    modifiers = _get_modifiers(node)
    parts = nodes.list_parts(modifiers) if modifiers is not None else ()
    kinds = ("annotation", "marker_annotation")
    annotations = (part for part in parts if part.kind() in kinds)
    return {nodes.read_name(node).rpartition(".")[2]: node for node in annotations}


def _read_marks(node: SgNode) -> frozenset[str]:
    """Return why a class or method may not run: "`@Disabled`", "`private`"."""
    modifiers = _get_modifiers(node)
    hiding = _HIDING_MODIFIER.findall(modifiers.text()) if modifiers is not None else ()
    skips = (f"@{name}" for name in _list_annotations(node) if _SKIP_ANNOTATION.fullmatch(name))
    return frozenset(f"`{mark}`" for mark in (*skips, *hiding))


def _read_class(node: SgNode, around: Scope) -> Iterator[Test]:
    """Yield the tests of a class and of the classes nested in it."""
    name, body = nodes.read_name(node), node.field("body")
    if not name or body is None:
        return
    functions = {**around.functions, **dict(list_functions(body))}
    variables: Variables = {}
    scope = Scope(
        path=around.path,
        functions=functions,
        variables=variables,
        prefix=f"{around.prefix}{name}::",
        marks=around.marks | _read_marks(node) | _run_set_up(body, functions, variables),
    )
    for member in nodes.list_parts(body):
        if member.kind() == "class_declaration":
            yield from _read_class(member, scope)
        elif _is_annotated(member, _TEST_ANNOTATIONS):
            yield _read_test(member, scope)


def _is_annotated(member: SgNode, names: frozenset[str]) -> bool:
    """Whether the member of a class is a method with one of the annotations."""
    return member.kind() == "method_declaration" and bool(names & _list_annotations(member).keys())


def _run_set_up(
    body: SgNode, functions: Mapping[str, SgNode], variables: Variables
) -> frozenset[str]:
    """Run fields and set-up methods to fill in `variables`; return the skips in them."""
    interpreter = Interpreter(functions)
    for member in nodes.list_parts(body):
        if member.kind() == "field_declaration":
            interpreter.run_statement(member, variables, EXACT)
        elif _is_annotated(member, _SET_UP_ANNOTATIONS):
            interpreter.run_block(member.field("body"), variables)
    return frozenset(interpreter.skips)


def _read_test(method: SgNode, scope: Scope) -> Test:
    """Return the test of a method, whose body runs once for each row."""
    interpreter = Interpreter(scope.functions)
    body = method.field("body")
    annotations = _list_annotations(method)
    errors = _list_expected_errors(annotations)
    parameters = method.field("parameters")
    parts = nodes.list_parts(parameters) if parameters is not None else ()
    names = [name for name in map(nodes.read_name, parts) if name]
    for row in _list_rows(annotations, scope.variables) if body is not None else ():
        variables = {**scope.variables, **bind_row(names, row)}
        interpreter.run_block(body, variables)
        if errors and body is not None:
            raising = evaluate(body, variables)
            interpreter.assertions += read_raised(raising, errors, variables)
    return scope.make_test(nodes.read_name(method), interpreter, _read_marks(method))


def _list_expected_errors(annotations: Mapping[str, SgNode]) -> list[SgNode]:
    """List the errors of JUnit 4's `@Test(expected = X.class)`."""
    test = annotations.get("Test")
    pairs = nodes.find_below(test, frozenset(("element_value_pair",))) if test is not None else ()
    return [nodes.list_parts(pair)[-1] for pair in pairs if pair.text().startswith("expected")]


def _list_rows(annotations: Mapping[str, SgNode], variables: Variables) -> list[Value]:
    """Return the rows of `@ValueSource`, `@CsvSource` and the like; one if there is no source."""
    sources = {name: node for name, node in annotations.items() if name.endswith("Source")}
    if not sources:
        return [Value()]
    rows: list[Value] = []
    for name, source in sources.items():
        array = next(nodes.find_below(source, words("element_value_array_initializer")), None)
        texts = nodes.find_below(source, words("string_literal"))
        cells = list(texts) if array is None else nodes.list_parts(array)
        if name == "CsvSource":
            rows += (_read_csv_row(cell, variables) for cell in cells)
        else:
            rows += evaluate_all(cells, variables)
    return rows or [UNKNOWN]


def _read_csv_row(node: SgNode, variables: Variables) -> Value:
    """Return the cells of a row such as "10, 'a b'" as numbers and texts."""
    text = nodes.read_literal(node)
    if text is None:
        return evaluate(node, variables)
    cells = (part.strip().strip("'") for part in text.removeprefix('"').split(","))
    literals = (
        nodes.normalize_number(cell) if re.match(r"-?\d", cell) else f'"{cell}' for cell in cells
    )
    return make_sequence([Value((literal,)) for literal in literals])
