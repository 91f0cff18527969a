"""Reads pytest and unittest tests: collected functions, their marks and parameter sets.

In

    class TestPrice:
        @pytest.mark.skipif(sys.platform == "win32", reason="slow")
        @pytest.mark.parametrize("total, want", [(10, 9), (20, 18)])
        def test_price(self, shop, total, want): ...

the result is one test `TestPrice::test_price` with the assertions of both rows. Its body is read
with the values of `shop` (a fixture) and of each row. Its marks are what may keep it from running
or failing, as messages show it: "`@pytest.mark.skipif(sys.platform=="win32",)`".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from ast_grep_py import SgNode
from msgspec.structs import replace

from untildone.core.late_patterns import compile_late
from untildone.integrity.tests import python_parameters
from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.model import Test
from untildone.integrity.tests.scopes import Scope
from untildone.integrity.tests.values import Value
from untildone.syntax import nodes
from untildone.words import words

# Changing the reason, the blanks or a comment of a mark does not make it another mark.
_NOT_IN_MARKS = compile_late(r"\breason\s*=\s*(\"[^\"]*\"|'[^']*')\s*,?|\s+|#.*")
_SET_UP_METHODS = ("setUp", "setUpClass", "setup_method", "setup_class", "setup", "asyncSetUp")
_UNITTEST_BASES = words("unittest TestCase IsolatedAsyncioTestCase object")
_MAX_PARAMETER_SETS = 400
# @dataclass(frozen=True), @attrs.define
# @pytest.fixture, @pytest.yield_fixture and @shared(autouse=True), but not @usefixtures
_FIXTURE = compile_late(r"(\b|_)fixture\b|\bautouse\b")
_RECORD_DECORATOR = compile_late(r"@(\w+\.)?(dataclass|define|frozen|s)\b")
# @pytest.fixture(name="thirds")
_FIXTURE_NAME = compile_late(r"\bfixture\(.*\bname\s*=\s*[\"'](\w+)[\"']", re.DOTALL)
_CLASSES = frozenset(("class_definition",))


class _Scope(Scope, frozen=True, kw_only=True):
    """`classes` are those of the file; `removed_names` those that it deletes or overwrites."""

    classes: Mapping[str, SgNode]
    removed_names: frozenset[str]


def list_functions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    """Yield functions and methods by name; `@pytest.fixture(name="shop")` also by that name."""
    for name, node in nodes.find_named(root, frozenset(("function_definition",))):
        yield name, node
        if fixture := _FIXTURE_NAME.search(read_decorators(node)):
            yield fixture[1], node


def read_decorators(definition: SgNode) -> str:
    """Return the text of the decorators of a function or class; "" if it has none."""
    return "".join(decorator.text() for decorator in _list_decorators(definition.parent()))


def _list_decorators(node: SgNode | None) -> list[SgNode]:
    """Return the decorators of a decorated definition; none for any other node."""
    if node is None or node.kind() != "decorated_definition":
        return []
    return [part for part in nodes.list_parts(node) if part.kind() == "decorator"]


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
        removed_names=_list_removed_names(root),
    )
    # pytest collects the last definition of a name.
    by_name = {test.name: test for test in _read_body(root, scope)}
    for test in by_name.values():
        top_level_name = test.name.partition("::")[0]
        if top_level_name not in scope.removed_names:
            yield test


def _list_record_classes(root: SgNode) -> Iterator[tuple[str, Value]]:
    """Yield dataclasses and named tuples of test data, with their field names as labels.

    A class with methods is no mere record, so it is left out.
    """
    for name, node in nodes.find_named(root, _CLASSES):
        is_decorated = _RECORD_DECORATOR.search(read_decorators(node))
        is_record = is_decorated or _read_bases(node) in ("NamedTuple", "typing.NamedTuple")
        if is_record and next(list_functions(node), None) is None:
            statements = map(nodes.list_parts, nodes.list_parts(_get_body(node)))
            # `total: int` and `want: int = 9`
            typed = (parts[0] for parts in statements if parts and parts[0].field("type"))
            fields = (assignment.field("left") for assignment in typed)
            labels = tuple(field.text() for field in fields if field is not None)
            yield name, Value(known=False, labels=labels)


def _get_body(node: SgNode) -> SgNode:
    """Return the block of a class, `try` or `with`."""
    return node.field("body") or node


def _read_autouse_marks(functions: Mapping[str, SgNode]) -> set[str]:
    """Return the skips of autouse fixtures, which apply to every test."""
    marks: set[str] = set()
    for name, node in functions.items():
        if "autouse" in read_decorators(node):
            interpreter = Interpreter(functions)
            interpreter.run_block(node.field("body"), {})
            marks |= {f"{mark} in `{name}`" for mark in interpreter.skips}
    return marks


def _list_removed_names(root: SgNode) -> frozenset[str]:
    """Return the names that a module or class deletes or assigns.

    After `del test_price` or `test_price = None` pytest finds no test of that name.
    """
    deletions = nodes.find_below(root, frozenset(("delete_statement",)))
    deleted = {name.text() for node in deletions for name in nodes.list_parts(node)}
    return frozenset(deleted.union(target for target, _ in nodes.list_assignments(root)))


def _read_body_marks(body: SgNode) -> frozenset[str]:
    """Return the marks that `pytestmark = …` and `__test__ = False` give a module or class."""
    marks = set()
    for target, value in nodes.list_assignments(body):
        if value is None:
            continue
        if target == "pytestmark" and python_parameters.SKIP_MARK.search(value.text()):
            marks.add(f"`pytestmark = {_normalize_mark(value.text())}`")
        if target.endswith("__test__") and nodes.read_literal(value) == "false":
            marks.add(f"`{target} = False`")
    return frozenset(marks)


def _normalize_mark(text: str) -> str:
    """Return a mark without its reason, blanks and comments."""
    return _NOT_IN_MARKS.sub("", text)


def _read_body(body: SgNode, scope: _Scope) -> Iterator[Test]:
    """Yield the tests in the body of a module, class, `if`, `try` or `with`."""
    for statement in nodes.list_parts(body):
        decorators = _list_decorators(statement)
        node = nodes.list_parts(statement)[-1] if decorators else statement
        if node.kind() in _CLASSES:
            yield from _read_class(node, _add_decorator_marks(scope, decorators))
        elif node.kind() == "function_definition":
            yield from _read_function(node, decorators, scope)
        elif node.kind() == "if_statement":
            yield from _read_conditional(node, scope)
        elif node.kind() in ("try_statement", "with_statement"):
            yield from _read_body(_get_body(node), scope)


def _read_conditional(node: SgNode, scope: _Scope) -> Iterator[Test]:
    """Yield the tests below an `if`, which have the condition as a mark unless it is constant."""
    condition, then = node.field("condition"), node.field("consequence")
    constant = nodes.read_literal(condition) if condition is not None else "false"
    if condition is None or then is None or constant == "false":
        return
    mark = f"`if {_normalize_mark(condition.text())}`"
    marks = scope.marks if constant == "true" else scope.marks | {mark}
    yield from _read_body(then, replace(scope, marks=marks))


def _add_decorator_marks(scope: _Scope, decorators: Sequence[SgNode]) -> _Scope:
    """Return the scope with the marks of decorators that skip a test or hide its failure."""
    texts = [decorator.text() for decorator in decorators]
    marks = {
        f"`{_normalize_mark(text)}`"
        for text in texts
        # Only before the parenthesis: `@parametrize("skip", …)` skips nothing.
        if python_parameters.SKIP_MARK.search(text.partition("(")[0])
        or _swallows_failures(text, scope)
    }
    return replace(scope, marks=scope.marks | marks)


def _swallows_failures(decorator: str, scope: _Scope) -> bool:
    """Whether a decorator defined in the tests catches failures without raising."""
    # `@helpers.ignore_errors(ValueError)` is `ignore_errors`.
    name = re.sub(r"[@(].*|\s", "", decorator.removeprefix("@")).rpartition(".")[2]
    wrapper = scope.functions.get(name)
    if wrapper is None:
        return False
    handlers = nodes.find_below(wrapper, frozenset(("except_clause",)))
    return any("raise" not in handler.text() for handler in handlers)


def _read_class(node: SgNode, around: _Scope) -> Iterator[Test]:
    """Yield the tests of a class and those that it inherits, with its set-up methods run."""
    name, body = nodes.read_name(node), node.field("body")
    if not name or body is None:
        return
    hierarchy = _list_class_hierarchy(node, around.classes)
    is_unittest = any(map(_is_unittest_class, hierarchy))
    if not is_unittest and not name.startswith("Test"):
        return
    # The nearest definition comes last and wins.
    methods = dict(pair for owner in reversed(hierarchy) for pair in list_functions(owner))
    marks = around.marks | _read_body_marks(body)
    if not is_unittest and {"__init__", "__new__"} & methods.keys():
        # pytest does not collect such a class.
        marks |= {"`__init__` in the class"}
    functions = {**around.functions, **methods}
    variables = dict(around.variables)
    for method in (methods[name] for name in _SET_UP_METHODS if name in methods):
        interpreter = Interpreter(functions)
        interpreter.run_block(method.field("body"), variables)
        marks |= interpreter.skips
    prefix = f"{around.prefix}{name}::"
    scope = replace(around, prefix=prefix, marks=marks, functions=functions, variables=variables)
    overwritten = _list_removed_names(body)
    for base in _list_inherited_classes(hierarchy, around):
        inherited = _read_body(_get_body(base), _add_class_marks(base, scope))
        yield from (test for test in inherited if test.short_name not in overwritten)
    yield from _read_body(body, scope)


def _list_class_hierarchy(node: SgNode, classes: Mapping[str, SgNode]) -> list[SgNode]:
    """Return the class and its direct and indirect bases in the same file."""
    hierarchy = [node]
    # The list grows while it is iterated: the bases of each base follow.
    for owner in hierarchy:
        bases = (classes.get(name) for name in re.findall(r"\w+", _read_bases(owner)))
        hierarchy += [base for base in bases if base is not None and base not in hierarchy]
    return hierarchy


def _list_inherited_classes(hierarchy: list[SgNode], scope: _Scope) -> list[SgNode]:
    """Return base classes whose tests are only collected through this class.

    `class PriceTests:` is not collected by itself; `class TestShop(PriceTests):` runs its tests.
    The farthest is first, since of tests with the same name the last one read counts.
    """
    found = [
        base
        for base in hierarchy[1:]
        if not _is_collected(base, scope.classes) or nodes.read_name(base) in scope.removed_names
    ]
    bases = {word for owner in hierarchy for word in re.findall(r"\w+", _read_bases(owner))}
    # Bases of other files are found through their methods, which are shared helpers.
    imported = bases - _UNITTEST_BASES - set(map(nodes.read_name, hierarchy))
    for function in scope.functions.values() if imported else ():
        owner = next((node for node in function.ancestors() if node.kind() in _CLASSES), None)
        is_base = owner is not None and nodes.read_name(owner) in imported
        if owner is not None and is_base and owner not in (*hierarchy, *found):
            found.append(owner)
    return found[::-1]


def _is_collected(node: SgNode, classes: Mapping[str, SgNode]) -> bool:
    """Whether pytest collects the tests of this class by itself."""
    is_test_name = nodes.read_name(node).startswith("Test")
    return is_test_name or any(map(_is_unittest_class, _list_class_hierarchy(node, classes)))


def _is_unittest_class(node: SgNode) -> bool:
    """Whether a base is called like `TestCase`, `DjangoTestCase` or `BaseCase`."""
    return "Test" in _read_bases(node) or _read_bases(node).endswith("Case")


def _read_bases(node: SgNode) -> str:
    """Return `Base, unittest.TestCase` for `class A(Base, unittest.TestCase):`."""
    bases = node.field("superclasses")
    return bases.text().strip("()") if bases is not None else ""


def _add_class_marks(node: SgNode, scope: _Scope) -> _Scope:
    """Return the scope with the marks of a class whose tests are inherited."""
    marked = _add_decorator_marks(scope, _list_decorators(node.parent()))
    return replace(marked, marks=marked.marks | _read_body_marks(_get_body(node)))


def name_test(statement: SgNode) -> str | None:
    """Return the name of a test function or of a class that may hold tests; None for others."""
    decorators = _list_decorators(statement)
    node = nodes.list_parts(statement)[-1] if decorators else statement
    name = nodes.read_name(node)
    if node.kind() in _CLASSES:
        return name if "Test" in f"{name} {_read_bases(node)}" else None
    is_function = node.kind() == "function_definition" and name.startswith("test")
    return name if is_function and not _is_fixture(decorators) else None


def _is_fixture(decorators: Sequence[SgNode]) -> bool:
    """Say whether the function is a fixture, which may have been imported by another name."""
    return any(_FIXTURE.search(decorator.text()) for decorator in decorators)


def _read_function(node: SgNode, decorators: Sequence[SgNode], scope: _Scope) -> Iterator[Test]:
    """Yield the test if the function is one, run once for each combination of parameters."""
    name, body = nodes.read_name(node), node.field("body")
    if body is None or not name.startswith("test") or _is_fixture(decorators):
        return
    interpreter = Interpreter(scope.functions)
    tables = (
        python_parameters.read_parametrize(decorator, scope.variables) for decorator in decorators
    )
    # Without any `parametrize` this is one empty combination.
    combinations = product(*(table for table in tables if table is not None))
    for combination in islice(combinations, _MAX_PARAMETER_SETS):
        variables = dict(scope.variables)
        for row in combination:
            variables.update(row)
        python_parameters.bind_fixtures(node, interpreter, variables)
        interpreter.run_block(body, variables)
    yield _add_decorator_marks(scope, decorators).make_test(name, interpreter)
