"""Reads pytest and unittest tests: collected functions, their marks and parameter sets."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice, product

from ast_grep_py import SgNode
from msgspec import Struct
from msgspec.structs import replace

from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.model import Test
from untildone.integrity.tests.values import UNKNOWN, Value, Variables, evaluate
from untildone.syntax.nodes import (
    find_below,
    find_named,
    list_arguments,
    list_assignments,
    list_parts,
    read_callee,
    read_literal,
)

_SKIP_MARK = re.compile(r"\b(skip\w*|xfail|expectedFailure|importorskip|todo)\b", re.IGNORECASE)
_NOT_IN_MARKS = re.compile(r"\breason\s*=\s*(\"[^\"]*\"|'[^']*')\s*,?|\s+|#.*")
_SET_UP_METHODS = ("setUp", "setUpClass", "setup_method", "setup_class", "setup", "asyncSetUp")
_UNITTEST_BASES = frozenset(("unittest", "TestCase", "IsolatedAsyncioTestCase", "object"))
_MAX_PARAMETER_SETS = 400
# @dataclass(frozen=True), @attrs.define
_RECORD_DECORATOR = re.compile(r"@(\w+\.)?(dataclass|define|frozen|s)\b")
# @pytest.fixture(name="thirds")
_FIXTURE_NAME = re.compile(r"\bfixture\(.*\bname\s*=\s*[\"'](\w+)[\"']", re.DOTALL)


class _Scope(Struct, frozen=True):
    """The module or class around a function: name prefix, marks, helpers and variables."""

    name: str
    marks: frozenset[str]
    functions: dict[str, SgNode]
    variables: Variables
    file: "_File"


class _File(Struct, frozen=True):
    """The classes of the file by name, and the names that it deletes or overwrites."""

    classes: dict[str, SgNode]
    hidden: frozenset[str]


def list_functions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    """Yield functions and methods by name; a renamed fixture also by its given name."""
    for name, node in find_named(root, frozenset(("function_definition",))):
        yield name, node
        above = node.prev()
        if above is not None and (given := _FIXTURE_NAME.search(above.text())):
            yield given[1], node


def read_tests(path: str, root: SgNode, shared: Mapping[str, SgNode]) -> Iterator[Test]:
    own = dict(list_functions(root))
    interpreter = Interpreter({**shared, **own})
    variables = dict(_list_record_classes(root))
    interpreter.run_block(root, variables)
    everywhere = interpreter.marks | _read_body_marks(root) | _read_autouse_marks({**shared, **own})
    file = _File(
        dict(find_named(root, frozenset(("class_definition",)))), _list_removed_names(root)
    )
    place = _Scope("", frozenset(everywhere), {**shared, **own}, variables, file)
    found: dict[str, Test] = {}
    for each in _read_body(path, root, place):
        # pytest collects the last definition of a name.
        found[each.name] = each
    yield from (each for name, each in found.items() if name.partition("::")[0] not in file.hidden)


def _list_record_classes(root: SgNode) -> Iterator[tuple[str, Value]]:
    """Yield the classes that only have fields: dataclasses and named tuples of test data."""
    for node in find_below(root, frozenset(("class_definition",))):
        above = node.prev()
        decorated = above is not None and _RECORD_DECORATOR.search(above.text())
        named = decorated or _read_bases(node) in ("NamedTuple", "typing.NamedTuple")
        if named and next(list_functions(node), None) is None:
            stated = (
                list_parts(each)[0]
                for each in list_parts(node.field("body") or node)
                if list_parts(each)
            )
            fields = (each.field("left") for each in stated if each.field("type") is not None)
            labels = tuple(each.text() for each in fields if each is not None)
            yield _read_name(node), Value(known=False, labels=labels)


def _read_autouse_marks(known: Mapping[str, SgNode]) -> frozenset[str]:
    """Return the skips of autouse fixtures, which apply to every test."""
    marks: set[str] = set()
    for name, node in known.items():
        above = node.prev()
        if above is None or above.kind() != "decorator" or "autouse" not in above.text():
            continue
        interpreter = Interpreter(known)
        body = node.field("body")
        if body is not None:
            interpreter.run_block(body, {})
        marks |= {f"{each} in `{name}`" for each in interpreter.marks}
    return frozenset(marks)


def _list_removed_names(root: SgNode) -> frozenset[str]:
    """Return the names that the body deletes or assigns, so that their tests do not exist."""
    gone: set[str] = set()
    for node in find_below(root, frozenset(("delete_statement",))):
        gone |= {each.text() for each in list_parts(node)}
    gone |= {target for target, _ in list_assignments(root)}
    return frozenset(gone)


def _read_body_marks(body: SgNode) -> frozenset[str]:
    """Return the marks by `pytestmark = …` and `__test__ = False` in a module or class."""
    marks = set()
    for target, value in list_assignments(body):
        if value is None:
            continue
        if target == "pytestmark" and _SKIP_MARK.search(value.text()):
            marks.add(f"`pytestmark = {_normalize_mark(value.text())}`")
        if target.endswith("__test__") and read_literal(value) == "false":
            marks.add(f"`{target} = False`")
    return frozenset(marks)


def _normalize_mark(text: str) -> str:
    return _NOT_IN_MARKS.sub("", text)


def _read_body(path: str, body: SgNode, place: _Scope) -> Iterator[Test]:
    for each in list_parts(body):
        decorators = [part for part in list_parts(each) if part.kind() == "decorator"]
        node = list_parts(each)[-1] if each.kind() == "decorated_definition" else each
        if node.kind() == "class_definition":
            yield from _read_class(path, node, _add_decorator_marks(place, decorators))
        elif node.kind() == "function_definition":
            yield from _read_function(path, node, decorators, place)
        elif node.kind() == "if_statement":
            yield from _read_conditional(path, node, place)
        elif node.kind() in ("try_statement", "with_statement"):
            yield from _read_body(path, node.field("body") or node, place)


def _read_conditional(path: str, node: SgNode, place: _Scope) -> Iterator[Test]:
    test, then = node.field("condition"), node.field("consequence")
    if test is None or then is None or read_literal(test) == "false":
        return
    marks = (
        place.marks
        if read_literal(test) == "true"
        else place.marks | {f"`if {_normalize_mark(test.text())}`"}
    )
    yield from _read_body(path, then, replace(place, marks=marks))


def _add_decorator_marks(place: _Scope, decorators: list[SgNode]) -> _Scope:
    marks = {
        f"`{_normalize_mark(each.text())}`"
        for each in decorators
        if _SKIP_MARK.search(each.text().partition("(")[0]) or _swallows_failures(each, place)
    }
    return replace(place, marks=place.marks | marks)


def _swallows_failures(decorator: SgNode, place: _Scope) -> bool:
    """Whether a decorator defined in the tests catches failures without raising."""
    name = re.sub(r"[@(].*|\s", "", decorator.text().removeprefix("@")).rpartition(".")[2]
    wrapper = place.functions.get(name)
    if wrapper is None:
        return False
    handlers = find_below(wrapper, frozenset(("except_clause",)))
    return any("raise" not in each.text() for each in handlers)


def _read_class(path: str, node: SgNode, place: _Scope) -> Iterator[Test]:
    name, body = node.field("name"), node.field("body")
    if name is None or body is None:
        return
    line = _list_class_line(node, place.file.classes)
    unit = any(map(_is_unittest_class, line))
    if not unit and not name.text().startswith("Test"):
        return
    own = {name: held for each in reversed(line) for name, held in list_functions(each)}
    marks = place.marks | _read_body_marks(body)
    if not unit and {"__init__", "__new__"} & own.keys():
        marks |= {"`__init__` in the class"}
    known = {**place.functions, **own}
    variables = dict(place.variables)
    for step in _SET_UP_METHODS:
        marks |= _run_set_up(own.get(step), known, variables)
    title = f"{place.name}{name.text()}::"
    inside = _Scope(title, frozenset(marks), known, variables, place.file)
    taken = _list_removed_names(body)
    for each in _list_inherited_classes(line, place):
        inherited = _read_body(path, each.field("body") or each, _add_class_marks(each, inside))
        yield from (test for test in inherited if test.short_name not in taken)
    yield from _read_body(path, body, inside)


def _list_inherited_classes(line: list[SgNode], place: _Scope) -> list[SgNode]:
    """Return base classes that are only collected through this class, farthest first."""
    file, shared = place.file, place.functions
    found = [
        each
        for each in line[1:]
        if not _is_collected(each, file.classes) or _read_name(each) in file.hidden
    ]
    known = _UNITTEST_BASES | {_read_name(each) for each in line}
    named = {word for each in line for word in re.findall(r"\w+", _read_bases(each))} - known
    for node in shared.values() if named else ():
        above = next((each for each in node.ancestors() if each.kind() == "class_definition"), None)
        if above is not None and _read_name(above) in named and above not in (*line, *found):
            found.append(above)
    return found[::-1]


def _is_collected(node: SgNode, classes: Mapping[str, SgNode]) -> bool:
    return _read_name(node).startswith("Test") or any(
        map(_is_unittest_class, _list_class_line(node, classes))
    )


def _is_unittest_class(node: SgNode) -> bool:
    return "Test" in _read_bases(node) or _read_bases(node).endswith("Case")


def _read_name(node: SgNode) -> str:
    name = node.field("name")
    return name.text() if name is not None else ""


def _add_class_marks(node: SgNode, place: _Scope) -> _Scope:
    """Return the scope with the marks of a class whose tests are inherited."""
    above = node.parent()
    decorators = [each for each in list_parts(above) if each.kind() == "decorator"] if above else []
    marks = _add_decorator_marks(place, decorators).marks | _read_body_marks(
        node.field("body") or node
    )
    return replace(place, marks=marks)


def _list_class_line(node: SgNode, classes: Mapping[str, SgNode]) -> list[SgNode]:
    """Return the class and its direct and indirect bases in the same file."""
    found = [node]
    for each in found:
        named = (classes.get(name) for name in re.findall(r"\w+", _read_bases(each)))
        found += [other for other in named if other is not None and other not in found]
    return found


def _read_bases(node: SgNode) -> str:
    bases = node.field("superclasses")
    return bases.text().strip("()") if bases is not None else ""


def _run_set_up(node: SgNode | None, known: dict[str, SgNode], variables: Variables) -> set[str]:
    body = node.field("body") if node is not None else None
    if body is None:
        return set()
    interpreter = Interpreter(known)
    interpreter.run_block(body, variables)
    return interpreter.marks


def _read_function(
    path: str, node: SgNode, decorators: list[SgNode], place: _Scope
) -> Iterator[Test]:
    name, body = node.field("name"), node.field("body")
    if name is None or body is None or not name.text().startswith("test"):
        return
    if any(re.search(r"\bfixture\b", each.text()) for each in decorators):
        return
    marked = _add_decorator_marks(place, decorators)
    interpreter = Interpreter(place.functions)
    tables = [
        table
        for each in decorators
        if (table := _read_parametrize(each, place.variables)) is not None
    ]
    for chosen in islice(product(*tables), _MAX_PARAMETER_SETS):
        variables = dict(place.variables)
        for row in chosen:
            variables.update(row)
        _bind_fixtures(node, interpreter, variables)
        interpreter.run_block(body, variables)
    marks = marked.marks | interpreter.marks
    yield Test(path, f"{place.name}{name.text()}", tuple(interpreter.assertions), frozenset(marks))


def _bind_fixtures(node: SgNode, interpreter: Interpreter, variables: Variables) -> None:
    """Bind each parameter that names a fixture to what the fixture returns or yields."""
    parameters = node.field("parameters")
    for each in list_parts(parameters) if parameters is not None else ():
        name = each.text().partition(":")[0].strip()
        fixture = interpreter.functions.get(name)
        body = fixture.field("body") if fixture is not None else None
        if fixture is None or body is None or name in variables:
            continue
        # A fixture that requests its own name means the one that it overrides.
        inside = Interpreter(
            {key: held for key, held in interpreter.functions.items() if key != name}
        )
        known = dict(variables)
        _bind_fixtures(fixture, inside, known)
        inside.run_block(body, known)
        interpreter.marks |= {f"{mark} in `{name}`" for mark in inside.marks}
        given = [*inside.returned, *_list_yielded(body, known)]
        if given:
            variables[name] = given[0]


def _list_yielded(body: SgNode, variables: Variables) -> Iterator[Value]:
    for each in find_below(body, frozenset(("yield",))):
        yield from (evaluate(part, variables) for part in list_parts(each)[:1])


def _read_parametrize(decorator: SgNode, variables: Variables) -> list[Variables] | None:
    """Return the rows of `parametrize`, each as bindings; None for another decorator."""
    call = next(find_below(decorator, frozenset(("call",))), None)
    if call is None or read_callee(call)[1] not in ("parametrize", "expand", "data"):
        return None
    given = [each for each in list_arguments(call) if each.kind() != "keyword_argument"]
    keyed = {
        list_parts(each)[0].text(): list_parts(each)[-1]
        for each in list_arguments(call)
        if each.kind() == "keyword_argument"
    }
    heads = given[0] if given else keyed.get("argnames")
    rows = given[1] if len(given) > 1 else keyed.get("argvalues")
    if heads is None or rows is None:
        return None
    labels = _read_labels(heads)
    return [_bind_row(labels, each) for each in _read_rows(rows, variables)]


def _read_labels(node: SgNode) -> list[str]:
    texts = [read_literal(each) or "" for each in (node, *list_parts(node)) if read_literal(each)]
    return [
        part.strip() for each in texts for part in each.removeprefix('"').split(",") if part.strip()
    ]


def _read_rows(node: SgNode, variables: Variables) -> list[Value]:
    if node.kind() not in ("list", "tuple", "set"):
        held = evaluate(node, variables)
        return [UNKNOWN] if held.rows is None else list(held.rows)
    live = [
        each
        for each in list_parts(node)
        if not ("param" in each.text() and _SKIP_MARK.search(each.text()))
    ]
    return [evaluate(each, variables) for each in live]


def _bind_row(labels: list[str], held: Value) -> Variables:
    if len(labels) == 1:
        only = held.rows[0] if held.rows and len(held.rows) == 1 else held
        return {labels[0]: only}
    return {label: held.fields.get(str(place), held) for place, label in enumerate(labels)}
