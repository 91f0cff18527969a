"""Reads Rust tests: `#[test]` functions, and the attributes that exclude them.

`#[test] #[ignore] fn prices()` in `mod tests` gives the test `tests::prices` with the mark
"`#[ignore]`".
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from ast_grep_py import SgNode
from msgspec.structs import replace

from untildone.core.late_patterns import compile_late
from untildone.integrity.tests.bindings import bind_parameters
from untildone.integrity.tests.evaluation import evaluate
from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.model import EXACT, PARTIAL, Assertion, Test
from untildone.integrity.tests.scopes import Scope
from untildone.integrity.tests.values import Value, Variables
from untildone.syntax import nodes
from untildone.words import words

_TEST_ATTRIBUTE = compile_late(
    r"^#\[\s*(\w+::)*(test|rstest|test_case|quickcheck|wasm_bindgen_test)\b"
)
_CFG_ATTRIBUTE = compile_late(r"^#!?\[\s*(cfg|cfg_attr)\s*\((.*)\)\s*\]$", re.DOTALL)
# #[case(1, 2)], #[test_case(1, 2 => 3)]
_ROW_ATTRIBUTE = compile_late(r"#\[\s*(?:\w+::)*(?:test_)?case\w*\s*\((.*)\)\s*\]", re.DOTALL)
_FLAG_ATTRIBUTE = compile_late(r"#\[\s*(ignore|should_panic)\b")
_QUOTED_TEXT = compile_late(r"\"((?:[^\"\\]|\\.)*)\"")
# #[cfg(test)] mod tests;
_MODULE_DECLARATION = r"((?:#\[[^\n]*\]\s*)*)(?:pub(?:\([^)]*\))?\s+)?mod\s+{}\s*;"


def list_functions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    """Yield the functions of the file or module by name."""
    return nodes.find_named(root, frozenset(("function_item",)))


def read_tests(path: str, root: SgNode, shared: Mapping[str, SgNode]) -> Iterator[Test]:
    """Yield the tests of the file; `shared` are helpers of other files."""
    attributes = nodes.find_below(root, frozenset(("attribute_item",)))
    if not any("test" in attribute.text() for attribute in attributes):
        return
    # `#![cfg(unix)]` at the top of the file excludes all its tests elsewhere.
    marks = frozenset(
        _normalize_mark(attribute.text())
        for attribute in nodes.find_below(root, frozenset(("inner_attribute_item",)))
        if _CFG_ATTRIBUTE.match(attribute.text()) and "test" not in attribute.text()
    )
    functions = {**shared, **_list_helpers(root)}
    yield from _read_items(root, Scope(path=path, functions=functions, variables={}, marks=marks))


def _list_helpers(root: SgNode) -> dict[str, SgNode]:
    """Return the functions of test modules; a function of the product is no helper."""
    modules = [
        module
        for module in nodes.find_below(root, frozenset(("mod_item",)))
        if "cfg(test)" in _read_attributes_above(module)
    ]
    if not modules and "#[test]" in root.text():
        modules = [root]
    return {name: node for module in modules for name, node in list_functions(module)}


def _read_attributes_above(node: SgNode) -> str:
    """Return the attributes and comments directly above an item, without blanks."""
    kinds = words("attribute_item line_comment block_comment")
    texts = []
    above = node.prev()
    while above is not None and above.kind() in kinds:
        texts.append(above.text().replace(" ", ""))
        above = above.prev()
    return "".join(texts)


def _normalize_mark(text: str) -> str:
    """Return an attribute without blanks, as messages show it: "`#[cfg(unix)]`"."""
    return "`" + re.sub(r"\s+", "", text) + "`"


def _read_items(block: SgNode, scope: Scope) -> Iterator[Test]:
    """Read the tests of a file or module; attributes stand before their item."""
    scope = replace(scope, variables={})
    attributes: list[str] = []
    for item in nodes.list_parts(block):
        if item.kind() == "attribute_item":
            attributes.append(item.text())
            continue
        name, body = nodes.read_name(item), item.field("body")
        if not name or body is None:
            Interpreter(scope.functions).run_statement(item, scope.variables, EXACT)
        else:
            marks = scope.marks | _read_marks(attributes)
            if item.kind() == "mod_item":
                prefix = f"{scope.prefix}{name}::"
                yield from _read_items(body, replace(scope, prefix=prefix, marks=marks))
            elif item.kind() == "function_item" and any(map(_TEST_ATTRIBUTE.match, attributes)):
                yield _read_test(item, body, attributes, replace(scope, marks=marks))
        attributes = []


def _read_test(function: SgNode, body: SgNode, attributes: list[str], scope: Scope) -> Test:
    """Return the test of a function, whose body runs once for each row."""
    interpreter = Interpreter(scope.functions)
    for row in _list_rows(attributes):
        variables = dict(scope.variables)
        bind_parameters(function, row, variables)
        interpreter.run_block(body, variables)
        interpreter.assertions += _read_expected_panic(attributes, body, variables)
    return scope.make_test(nodes.read_name(function), interpreter)


def _list_rows(attributes: list[str]) -> list[list[Value]]:
    """Return the cells of `#[case(1, 2)]` and `#[test_case(1, 2)]`, or one empty row."""
    rows = (row[1] for row in map(_ROW_ATTRIBUTE.match, attributes) if row)
    return [list(map(_read_cell, re.split(r"\s*(?:,|=>|;)\s*", row))) for row in rows] or [[]]


def _read_cell(cell: str) -> Value:
    """Return the value of the source text of a number or string."""
    normalize = nodes.normalize_string if '"' in cell else nodes.normalize_number
    return Value((normalize(cell),))


def _read_marks(attributes: Iterable[str]) -> frozenset[str]:
    """Return why an item may not run or fail: `#[cfg(unix)]`, `#[ignore]`, `#[should_panic]`."""
    marks = set()
    for attribute in attributes:
        condition = _CFG_ATTRIBUTE.match(attribute)
        if condition and re.sub(r"\s", "", condition[2]) != "test":
            marks.add(_normalize_mark(attribute))
        if flag := _FLAG_ATTRIBUTE.match(attribute):
            marks.add(f"`#[{flag[1]}]`")
    return frozenset(marks)


def _read_expected_panic(
    attributes: list[str], body: SgNode, variables: Variables
) -> list[Assertion]:
    """Read `#[should_panic(expected = "stock")]` as an assertion about the whole body."""
    attribute = next((text for text in attributes if "should_panic" in text), "")
    if not attribute:
        return []
    message = _QUOTED_TEXT.search(attribute)
    actual = evaluate(body, variables)
    expected = (f'"{message[1]}',) if message else ()
    return [Assertion(EXACT if message else PARTIAL, actual.literals, expected, actual.calls)]


def find_exclusion_marks(path: str, sources: Iterable[str]) -> frozenset[str]:
    """Return marks if a file below `src` is not declared as a module, or only conditionally.

    `src/cart.rs` needs `mod cart;` in one of the other sources; `#[cfg(unix)] mod cart;` is a mark.
    """
    *folders, name = path.split("/")
    stem = folders[-1] if name == "mod.rs" and folders else name.removesuffix(".rs")
    if "src" not in folders or stem in ("lib", "main", "src") or "bin" in folders:
        return frozenset()
    pattern = re.compile(_MODULE_DECLARATION.format(re.escape(stem)))
    declaration = next(filter(None, map(pattern.search, sources)), None)
    if declaration is None:
        return frozenset((f"no `mod {stem};`",))
    return _read_marks(re.findall(r"#\[[^\n]*?\](?=\s|$)", declaration[1]))
