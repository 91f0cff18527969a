"""Reads pytest and unittest tests: collected functions, their marks and parameter sets.

A test is collected if its name and its class say so, as often as `parametrize` has rows, with the
fixtures that it asks for. Whatever may keep it from running or failing is one of its marks.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from ast_grep_py import SgNode
from msgspec.structs import replace

from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.model import Test
from untildone.integrity.tests.python_parameters import (
    SKIP_MARK,
    bind_fixtures,
    read_parametrize,
)
from untildone.integrity.tests.scopes import Scope
from untildone.integrity.tests.values import Value
from untildone.syntax import nodes
from untildone.words import words

_NOT_IN_MARKS = re.compile(r"\breason\s*=\s*(\"[^\"]*\"|'[^']*')\s*,?|\s+|#.*")
_SET_UP_METHODS = ("setUp", "setUpClass", "setup_method", "setup_class", "setup", "asyncSetUp")
_UNITTEST_BASES = words("unittest TestCase IsolatedAsyncioTestCase object")
_MAX_PARAMETER_SETS = 400
# @dataclass(frozen=True), @attrs.define
_RECORD_DECORATOR = re.compile(r"@(\w+\.)?(dataclass|define|frozen|s)\b")
# @pytest.fixture(name="thirds")
_FIXTURE_NAME = re.compile(r"\bfixture\(.*\bname\s*=\s*[\"'](\w+)[\"']", re.DOTALL)
_CLASSES = frozenset(("class_definition",))


class _Scope(Scope, frozen=True, kw_only=True):
    """`classes` are those of the file; `hidden` are names that it deletes or overwrites."""

    classes: Mapping[str, SgNode]
    hidden: frozenset[str]


def list_functions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    """Yield functions and methods by name; a renamed fixture also by its given name."""
    for name, node in nodes.find_named(root, frozenset(("function_definition",))):
        yield name, node
        if fixture := _FIXTURE_NAME.search(_read_line_above(node)):
            yield fixture[1], node


def _read_line_above(node: SgNode) -> str:
    """Return the decorator before a definition, or what else stands there."""
    above = node.prev()
    return above.text() if above is not None else ""


def read_tests(path: str, root: SgNode, shared: Mapping[str, SgNode]) -> Iterator[Test]:
    """Yield the tests that pytest collects from the file; `shared` are helpers of other files."""
    functions = {**shared, **dict(list_functions(root))}
    interpreter = Interpreter(functions)
    variables = dict(_list_record_classes(root))
    interpreter.run_block(root, variables)
    scope = _Scope(
        path=path,
        functions=functions,
        variables=variables,
        marks=_read_body_marks(root).union(interpreter.skips, _read_autouse_marks(functions)),
        classes=dict(nodes.find_named(root, _CLASSES)),
        hidden=_list_removed_names(root),
    )
    # pytest collects the last definition of a name.
    found = {test.name: test for test in _read_body(root, scope)}
    yield from (test for test in found.values() if test.name.partition("::")[0] not in scope.hidden)


def _list_record_classes(root: SgNode) -> Iterator[tuple[str, Value]]:
    """Yield the classes that only have fields: dataclasses and named tuples of test data."""
    for name, node in nodes.find_named(root, _CLASSES):
        is_decorated = _RECORD_DECORATOR.search(_read_line_above(node))
        is_record = is_decorated or _read_bases(node) in ("NamedTuple", "typing.NamedTuple")
        if is_record and next(list_functions(node), None) is None:
            statements = map(nodes.list_parts, nodes.list_parts(_get_body(node)))
            typed = (each[0] for each in statements if each and each[0].field("type") is not None)
            fields = (each.field("left") for each in typed)
            labels = tuple(each.text() for each in fields if each is not None)
            yield name, Value(known=False, labels=labels)


def _get_body(node: SgNode) -> SgNode:
    return node.field("body") or node


def _read_autouse_marks(functions: Mapping[str, SgNode]) -> set[str]:
    """Return the skips of autouse fixtures, which apply to every test."""
    marks: set[str] = set()
    for name, node in functions.items():
        above = node.prev()
        if above is not None and above.kind() == "decorator" and "autouse" in above.text():
            interpreter = Interpreter(functions)
            interpreter.run_block(node.field("body"), {})
            marks |= {f"{mark} in `{name}`" for mark in interpreter.skips}
    return marks


def _list_removed_names(root: SgNode) -> frozenset[str]:
    """Return the names that the body deletes or assigns, so that their tests do not exist."""
    deletions = nodes.find_below(root, frozenset(("delete_statement",)))
    deleted = {name.text() for node in deletions for name in nodes.list_parts(node)}
    return frozenset(deleted.union(target for target, _ in nodes.list_assignments(root)))


def _read_body_marks(body: SgNode) -> frozenset[str]:
    """Return the marks by `pytestmark = …` and `__test__ = False` in a module or class."""
    marks = set()
    for target, value in nodes.list_assignments(body):
        if value is None:
            continue
        if target == "pytestmark" and SKIP_MARK.search(value.text()):
            marks.add(f"`pytestmark = {_normalize_mark(value.text())}`")
        if target.endswith("__test__") and nodes.read_literal(value) == "false":
            marks.add(f"`{target} = False`")
    return frozenset(marks)


def _normalize_mark(text: str) -> str:
    return _NOT_IN_MARKS.sub("", text)


def _read_body(body: SgNode, scope: _Scope) -> Iterator[Test]:
    for statement in nodes.list_parts(body):
        decorators = _list_decorators(statement)
        is_decorated = statement.kind() == "decorated_definition"
        node = nodes.list_parts(statement)[-1] if is_decorated else statement
        if node.kind() in _CLASSES:
            yield from _read_class(node, _add_decorator_marks(scope, decorators))
        elif node.kind() == "function_definition":
            yield from _read_function(node, decorators, scope)
        elif node.kind() == "if_statement":
            yield from _read_conditional(node, scope)
        elif node.kind() in ("try_statement", "with_statement"):
            yield from _read_body(_get_body(node), scope)


def _list_decorators(node: SgNode | None) -> list[SgNode]:
    parts = nodes.list_parts(node) if node is not None else ()
    return [part for part in parts if part.kind() == "decorator"]


def _read_conditional(node: SgNode, scope: _Scope) -> Iterator[Test]:
    condition, then = node.field("condition"), node.field("consequence")
    constant = nodes.read_literal(condition) if condition is not None else "false"
    if condition is None or then is None or constant == "false":
        return
    mark = f"`if {_normalize_mark(condition.text())}`"
    marks = scope.marks if constant == "true" else scope.marks | {mark}
    yield from _read_body(then, replace(scope, marks=marks))


def _add_decorator_marks(scope: _Scope, decorators: Sequence[SgNode]) -> _Scope:
    texts = [each.text() for each in decorators]
    marks = {
        f"`{_normalize_mark(text)}`"
        for text in texts
        if SKIP_MARK.search(text.partition("(")[0]) or _swallows_failures(text, scope)
    }
    return replace(scope, marks=scope.marks | marks)


def _swallows_failures(decorator: str, scope: _Scope) -> bool:
    """Whether a decorator defined in the tests catches failures without raising."""
    name = re.sub(r"[@(].*|\s", "", decorator.removeprefix("@")).rpartition(".")[2]
    wrapper = scope.functions.get(name)
    if wrapper is None:
        return False
    handlers = nodes.find_below(wrapper, frozenset(("except_clause",)))
    return any("raise" not in handler.text() for handler in handlers)


def _read_class(node: SgNode, around: _Scope) -> Iterator[Test]:
    name, body = nodes.read_name(node), node.field("body")
    if not name or body is None:
        return
    line = _list_class_line(node, around.classes)
    is_unittest = any(map(_is_unittest_class, line))
    if not is_unittest and not name.startswith("Test"):
        return
    own = dict(pair for each in reversed(line) for pair in list_functions(each))
    marks = around.marks | _read_body_marks(body)
    if not is_unittest and {"__init__", "__new__"} & own.keys():
        marks |= {"`__init__` in the class"}
    functions = {**around.functions, **own}
    variables = dict(around.variables)
    for method in (own[step] for step in _SET_UP_METHODS if step in own):
        interpreter = Interpreter(functions)
        interpreter.run_block(method.field("body"), variables)
        marks |= interpreter.skips
    prefix = f"{around.prefix}{name}::"
    scope = replace(around, prefix=prefix, marks=marks, functions=functions, variables=variables)
    overwritten = _list_removed_names(body)
    for base in _list_inherited_classes(line, around):
        inherited = _read_body(_get_body(base), _add_class_marks(base, scope))
        yield from (test for test in inherited if test.short_name not in overwritten)
    yield from _read_body(body, scope)


def _list_class_line(node: SgNode, classes: Mapping[str, SgNode]) -> list[SgNode]:
    """Return the class and its direct and indirect bases in the same file."""
    line = [node]
    for each in line:
        bases = (classes.get(name) for name in re.findall(r"\w+", _read_bases(each)))
        line += [base for base in bases if base is not None and base not in line]
    return line


def _list_inherited_classes(line: list[SgNode], scope: _Scope) -> list[SgNode]:
    """Return base classes that are only collected through this class, farthest first."""
    found = [
        base
        for base in line[1:]
        if not _is_collected(base, scope.classes) or nodes.read_name(base) in scope.hidden
    ]
    bases = {word for each in line for word in re.findall(r"\w+", _read_bases(each))}
    elsewhere = bases - _UNITTEST_BASES - set(map(nodes.read_name, line))
    for function in scope.functions.values() if elsewhere else ():
        owner = next((each for each in function.ancestors() if each.kind() in _CLASSES), None)
        is_base = owner is not None and nodes.read_name(owner) in elsewhere
        if owner is not None and is_base and owner not in (*line, *found):
            found.append(owner)
    return found[::-1]


def _is_collected(node: SgNode, classes: Mapping[str, SgNode]) -> bool:
    is_named = nodes.read_name(node).startswith("Test")
    return is_named or any(map(_is_unittest_class, _list_class_line(node, classes)))


def _is_unittest_class(node: SgNode) -> bool:
    return "Test" in _read_bases(node) or _read_bases(node).endswith("Case")


def _read_bases(node: SgNode) -> str:
    bases = node.field("superclasses")
    return bases.text().strip("()") if bases is not None else ""


def _add_class_marks(node: SgNode, scope: _Scope) -> _Scope:
    """Return the scope with the marks of a class whose tests are inherited."""
    marked = _add_decorator_marks(scope, _list_decorators(node.parent()))
    return replace(marked, marks=marked.marks | _read_body_marks(_get_body(node)))


def _read_function(node: SgNode, decorators: Sequence[SgNode], scope: _Scope) -> Iterator[Test]:
    name, body = nodes.read_name(node), node.field("body")
    is_fixture = any(re.search(r"\bfixture\b", each.text()) for each in decorators)
    if body is None or not name.startswith("test") or is_fixture:
        return
    interpreter = Interpreter(scope.functions)
    tables = (read_parametrize(each, scope.variables) for each in decorators)
    rows = product(*(table for table in tables if table is not None))
    for chosen in islice(rows, _MAX_PARAMETER_SETS):
        variables = dict(scope.variables)
        for row in chosen:
            variables.update(row)
        bind_fixtures(node, interpreter, variables)
        interpreter.run_block(body, variables)
    yield _add_decorator_marks(scope, decorators).make_test(name, interpreter)
