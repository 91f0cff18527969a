"""pytest and unittest: which functions are collected, under which marks, with which rows."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice, product

from ast_grep_py import SgNode
from msgspec import Struct
from msgspec.structs import replace

from untildone.integrity.tests.model import Test
from untildone.integrity.tests.values import UNKNOWN, Names, Value, value
from untildone.integrity.tests.walk import Walk
from untildone.syntax.nodes import find_below, list_arguments, list_parts, read_callee, read_literal

_MARK = re.compile(r"\b(skip\w*|xfail|expectedFailure|importorskip|todo)\b", re.IGNORECASE)
_REASON = re.compile(r"\breason\s*=\s*(\"[^\"]*\"|'[^']*')\s*,?|\s+|#.*")
_SET_UP = ("setUp", "setUpClass", "setup_method", "setup_class", "setup", "asyncSetUp")
_OF_UNITTEST = frozenset(("unittest", "TestCase", "IsolatedAsyncioTestCase", "object"))
_ROWS_OF_ROWS = 400
# @dataclass(frozen=True), @attrs.define
_RECORD = re.compile(r"@(\w+\.)?(dataclass|define|frozen|s)\b")
# @pytest.fixture(name="thirds")
_CALLED = re.compile(r"\bfixture\(.*\bname\s*=\s*[\"'](\w+)[\"']", re.DOTALL)


class _Place(Struct, frozen=True):
    """Where a function stands: its class, the marks above it, what it may call."""

    name: str
    marks: frozenset[str]
    functions: dict[str, SgNode]
    names: Names
    file: "_File"


class _File(Struct, frozen=True):
    """Its classes by name, and the names that it takes away again."""

    classes: dict[str, SgNode]
    hidden: frozenset[str]


def functions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    """Every function of the file by name, methods too."""
    for node in find_below(root, frozenset(("function_definition",))):
        name = node.field("name")
        if name is not None:
            yield name.text(), node
            above = node.prev()
            called = _CALLED.search(above.text()) if above is not None else None
            if called:
                yield called[1], node


def tests(path: str, root: SgNode, shared: Mapping[str, SgNode]) -> Iterator[Test]:
    own = dict(functions(root))
    walk = Walk({**shared, **own})
    names = dict(_records(root))
    walk.block(root, names)
    everywhere = walk.marks | _marks_below(root) | _automatic({**shared, **own})
    file = _File(dict(_classes(root)), _unset(root))
    place = _Place("", frozenset(everywhere), {**shared, **own}, names, file)
    found: dict[str, Test] = {}
    for each in _in_place(path, root, place):
        # A later definition of the same name is the one that is collected.
        found[each.name] = each
    yield from (each for name, each in found.items() if name.partition("::")[0] not in file.hidden)


def _classes(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    for node in find_below(root, frozenset(("class_definition",))):
        name = node.field("name")
        if name is not None:
            yield name.text(), node


def _records(root: SgNode) -> Iterator[tuple[str, Value]]:
    """Classes that are nothing but fields, as rows of a table may be."""
    for node in find_below(root, frozenset(("class_definition",))):
        above = node.prev()
        decorated = above is not None and _RECORD.search(above.text())
        named = decorated or _bases(node) in ("NamedTuple", "typing.NamedTuple")
        if named and next(functions(node), None) is None:
            stated = (
                list_parts(each)[0]
                for each in list_parts(node.field("body") or node)
                if list_parts(each)
            )
            fields = (each.field("left") for each in stated if each.field("type") is not None)
            labels = tuple(each.text() for each in fields if each is not None)
            yield _title(node), Value(known=False, labels=labels)


def _automatic(known: Mapping[str, SgNode]) -> frozenset[str]:
    """Marks of fixtures that every test gets without asking."""
    marks: set[str] = set()
    for name, node in known.items():
        above = node.prev()
        if above is None or above.kind() != "decorator" or "autouse" not in above.text():
            continue
        walk = Walk(known)
        body = node.field("body")
        if body is not None:
            walk.block(body, {})
        marks |= {f"{each} in `{name}`" for each in walk.marks}
    return frozenset(marks)


def _unset(root: SgNode) -> frozenset[str]:
    """Tests that the module takes away again."""
    gone: set[str] = set()
    for node in find_below(root, frozenset(("delete_statement",))):
        gone |= {each.text() for each in list_parts(node)}
    for each in list_parts(root):
        held = (
            list_parts(each)[0]
            if each.kind() == "expression_statement" and list_parts(each)
            else each
        )
        if held.kind() == "assignment" and (left := held.field("left")) is not None:
            gone.add(left.text())
    return frozenset(gone)


def _marks_below(body: SgNode) -> frozenset[str]:
    """`pytestmark = …` and `__test__ = False` of a module or class."""
    marks = set()
    for each in list_parts(body):
        held = (
            list_parts(each)[0]
            if each.kind() == "expression_statement" and list_parts(each)
            else each
        )
        left = held.field("left") if held.kind() == "assignment" else None
        right = held.field("right") if left is not None else None
        if left is None or right is None:
            continue
        if left.text() == "pytestmark" and _MARK.search(right.text()):
            marks.add(f"`pytestmark = {_tidy(right.text())}`")
        if left.text().endswith("__test__") and read_literal(right) == "false":
            marks.add(f"`{left.text()} = False`")
    return frozenset(marks)


def _tidy(text: str) -> str:
    return _REASON.sub("", text)


def _in_place(path: str, body: SgNode, place: _Place) -> Iterator[Test]:
    for each in list_parts(body):
        decorators = [part for part in list_parts(each) if part.kind() == "decorator"]
        node = list_parts(each)[-1] if each.kind() == "decorated_definition" else each
        if node.kind() == "class_definition":
            yield from _in_class(path, node, _marked(place, decorators))
        elif node.kind() == "function_definition":
            yield from _function(path, node, decorators, place)
        elif node.kind() == "if_statement":
            yield from _under_condition(path, node, place)
        elif node.kind() in ("try_statement", "with_statement"):
            yield from _in_place(path, node.field("body") or node, place)


def _under_condition(path: str, node: SgNode, place: _Place) -> Iterator[Test]:
    test, then = node.field("condition"), node.field("consequence")
    if test is None or then is None or read_literal(test) == "false":
        return
    marks = (
        place.marks
        if read_literal(test) == "true"
        else place.marks | {f"`if {_tidy(test.text())}`"}
    )
    yield from _in_place(path, then, replace(place, marks=marks))


def _marked(place: _Place, decorators: list[SgNode]) -> _Place:
    marks = {
        f"`{_tidy(each.text())}`"
        for each in decorators
        if _MARK.search(each.text().partition("(")[0]) or _swallows(each, place)
    }
    return replace(place, marks=place.marks | marks)


def _swallows(decorator: SgNode, place: _Place) -> bool:
    """A decorator of the tests' own that does not let a failure through."""
    name = re.sub(r"[@(].*|\s", "", decorator.text().removeprefix("@")).rpartition(".")[2]
    wrapper = place.functions.get(name)
    if wrapper is None:
        return False
    handlers = find_below(wrapper, frozenset(("except_clause",)))
    return any("raise" not in each.text() for each in handlers)


def _in_class(path: str, node: SgNode, place: _Place) -> Iterator[Test]:
    name, body = node.field("name"), node.field("body")
    if name is None or body is None:
        return
    line = _line(node, place.file.classes)
    unit = any(map(_of_unittest, line))
    if not unit and not name.text().startswith("Test"):
        return
    own = {name: held for each in reversed(line) for name, held in functions(each)}
    marks = place.marks | _marks_below(body)
    if not unit and {"__init__", "__new__"} & own.keys():
        marks |= {"`__init__` in the class"}
    known = {**place.functions, **own}
    names = dict(place.names)
    for step in _SET_UP:
        marks |= _set_up(own.get(step), known, names)
    title = f"{place.name}{name.text()}::"
    inside = _Place(title, frozenset(marks), known, names, place.file)
    taken = _unset(body)
    for each in _taken_in(line, place):
        inherited = _in_place(path, each.field("body") or each, _marked_as(each, inside))
        yield from (test for test in inherited if test.last not in taken)
    yield from _in_place(path, body, inside)


def _taken_in(line: list[SgNode], place: _Place) -> list[SgNode]:
    """Classes that are collected only through this one, the first of them last."""
    file, shared = place.file, place.functions
    found = [
        each
        for each in line[1:]
        if not _collected_alone(each, file.classes) or _title(each) in file.hidden
    ]
    known = _OF_UNITTEST | {_title(each) for each in line}
    named = {word for each in line for word in re.findall(r"\w+", _bases(each))} - known
    for node in shared.values() if named else ():
        above = next((each for each in node.ancestors() if each.kind() == "class_definition"), None)
        if above is not None and _title(above) in named and above not in (*line, *found):
            found.append(above)
    return found[::-1]


def _collected_alone(node: SgNode, classes: Mapping[str, SgNode]) -> bool:
    return _title(node).startswith("Test") or any(map(_of_unittest, _line(node, classes)))


def _of_unittest(node: SgNode) -> bool:
    return "Test" in _bases(node) or _bases(node).endswith("Case")


def _title(node: SgNode) -> str:
    name = node.field("name")
    return name.text() if name is not None else ""


def _marked_as(node: SgNode, place: _Place) -> _Place:
    """With the marks of a class that the tests are taken in from."""
    above = node.parent()
    decorators = [each for each in list_parts(above) if each.kind() == "decorator"] if above else []
    marks = _marked(place, decorators).marks | _marks_below(node.field("body") or node)
    return replace(place, marks=marks)


def _line(node: SgNode, classes: Mapping[str, SgNode]) -> list[SgNode]:
    """The class, and those of the same file that it is made of."""
    found = [node]
    for each in found:
        named = (classes.get(name) for name in re.findall(r"\w+", _bases(each)))
        found += [other for other in named if other is not None and other not in found]
    return found


def _bases(node: SgNode) -> str:
    bases = node.field("superclasses")
    return bases.text().strip("()") if bases is not None else ""


def _set_up(node: SgNode | None, known: dict[str, SgNode], names: Names) -> set[str]:
    body = node.field("body") if node is not None else None
    if body is None:
        return set()
    walk = Walk(known)
    walk.block(body, names)
    return walk.marks


def _function(path: str, node: SgNode, decorators: list[SgNode], place: _Place) -> Iterator[Test]:
    name, body = node.field("name"), node.field("body")
    if name is None or body is None or not name.text().startswith("test"):
        return
    if any(re.search(r"\bfixture\b", each.text()) for each in decorators):
        return
    marked = _marked(place, decorators)
    walk = Walk(place.functions)
    tables = [table for each in decorators if (table := _table(each, place.names)) is not None]
    for chosen in islice(product(*tables), _ROWS_OF_ROWS):
        names = dict(place.names)
        for row in chosen:
            names.update(row)
        _fixtures(node, walk, names)
        walk.block(body, names)
    marks = marked.marks | walk.marks
    yield Test(path, f"{place.name}{name.text()}", tuple(walk.claims), frozenset(marks))


def _fixtures(node: SgNode, walk: Walk, names: Names) -> None:
    """A parameter named like a function of the tests is what that fixture gives."""
    parameters = node.field("parameters")
    for each in list_parts(parameters) if parameters is not None else ():
        name = each.text().partition(":")[0].strip()
        fixture = walk.functions.get(name)
        body = fixture.field("body") if fixture is not None else None
        if fixture is None or body is None or name in names:
            continue
        # One that asks for its own name means the one it stands before.
        inside = Walk({key: held for key, held in walk.functions.items() if key != name})
        known = dict(names)
        _fixtures(fixture, inside, known)
        inside.block(body, known)
        walk.marks |= {f"{mark} in `{name}`" for mark in inside.marks}
        given = [*inside.done, *_yielded(body, known)]
        if given:
            names[name] = given[0]


def _yielded(body: SgNode, names: Names) -> Iterator[Value]:
    for each in find_below(body, frozenset(("yield",))):
        yield from (value(part, names) for part in list_parts(each)[:1])


def _table(decorator: SgNode, names: Names) -> list[Names] | None:
    """The rows of `parametrize`, each as the names it binds."""
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
    labels = _labels(heads)
    return [_row(labels, each) for each in _rows(rows, names)]


def _labels(node: SgNode) -> list[str]:
    texts = [read_literal(each) or "" for each in (node, *list_parts(node)) if read_literal(each)]
    return [
        part.strip() for each in texts for part in each.removeprefix('"').split(",") if part.strip()
    ]


def _rows(node: SgNode, names: Names) -> list[Value]:
    if node.kind() not in ("list", "tuple", "set"):
        held = value(node, names)
        return [UNKNOWN] if held.rows is None else list(held.rows)
    live = [
        each
        for each in list_parts(node)
        if not ("param" in each.text() and _MARK.search(each.text()))
    ]
    return [value(each, names) for each in live]


def _row(labels: list[str], held: Value) -> Names:
    if len(labels) == 1:
        only = held.rows[0] if held.rows and len(held.rows) == 1 else held
        return {labels[0]: only}
    return {label: held.fields.get(str(place), held) for place, label in enumerate(labels)}
