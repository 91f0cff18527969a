"""Reads Rust tests: `#[test]` functions, and the attributes that exclude them."""

import re
from collections.abc import Iterable, Iterator, Mapping

from ast_grep_py import SgNode

from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.model import EXACT, PARTIAL, Assertion, Test
from untildone.integrity.tests.values import Value, Variables, bind, evaluate
from untildone.syntax.nodes import (
    find_below,
    find_named,
    list_parts,
    normalize_number,
    normalize_string,
)

_TEST_ATTRIBUTE = re.compile(
    r"^#\[\s*(\w+::)*(test|rstest|test_case|quickcheck|wasm_bindgen_test)\b"
)
_CFG_ATTRIBUTE = re.compile(r"^#!?\[\s*(cfg|cfg_attr)\s*\((.*)\)\s*\]$", re.DOTALL)
_QUOTED_TEXT = re.compile(r"\"((?:[^\"\\]|\\.)*)\"")


def list_functions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    return find_named(root, frozenset(("function_item",)))


def read_tests(path: str, root: SgNode, shared: Mapping[str, SgNode]) -> Iterator[Test]:
    if not any("test" in each.text() for each in find_below(root, frozenset(("attribute_item",)))):
        return
    known = {**shared, **_list_helpers(root)}
    marks = {
        _normalize_mark(each.text())
        for each in find_below(root, frozenset(("inner_attribute_item",)))
        if _CFG_ATTRIBUTE.match(each.text()) and "test" not in each.text()
    }
    yield from _read_items(path, root, "", frozenset(marks), known)


def _list_helpers(root: SgNode) -> dict[str, SgNode]:
    """Return the functions of test modules; a function of the product is no helper."""
    places = [
        each
        for each in find_below(root, frozenset(("mod_item",)))
        if "cfg(test)" in _read_attributes_above(each)
    ]
    return {
        name: node
        for each in places or [root]
        for name, node in list_functions(each)
        if places or "#[test]" in root.text()
    }


def _read_attributes_above(node: SgNode) -> str:
    before = node.prev()
    texts = []
    while before is not None and before.kind() in (
        "attribute_item",
        "line_comment",
        "block_comment",
    ):
        texts.append(before.text().replace(" ", ""))
        before = before.prev()
    return "".join(texts)


def _normalize_mark(text: str) -> str:
    return "`" + re.sub(r"\s+", "", text) + "`"


def _read_items(
    path: str, place: SgNode, prefix: str, marks: frozenset[str], known: Mapping[str, SgNode]
) -> Iterator[Test]:
    attributes: list[str] = []
    variables: Variables = {}
    for each in list_parts(place):
        if each.kind() == "attribute_item":
            attributes.append(each.text())
            continue
        name, body = each.field("name"), each.field("body")
        if name is not None and body is not None:
            more = marks | _read_marks(attributes)
            if each.kind() == "mod_item":
                yield from _read_items(path, body, f"{prefix}{name.text()}::", more, known)
            elif each.kind() == "function_item" and any(
                _TEST_ATTRIBUTE.match(text) for text in attributes
            ):
                yield _read_test(
                    path, f"{prefix}{name.text()}", each, (attributes, more, known, variables)
                )
        else:
            Interpreter(known).run_statement(each, variables, EXACT)
        attributes = []


def _read_test(
    path: str,
    name: str,
    node: SgNode,
    place: tuple[list[str], frozenset[str], Mapping[str, SgNode], Variables],
) -> Test:
    attributes, marks, known, outer = place
    interpreter = Interpreter(known)
    body = node.field("body")
    assert body is not None  # noqa: S101  only functions with a body are given
    for row in _list_rows(attributes):
        variables = dict(outer)
        _bind_row(node, row, variables)
        interpreter.run_block(body, variables)
        interpreter.assertions += _read_expected_panic(attributes, body, variables)
    return Test(path, name, tuple(interpreter.assertions), marks | interpreter.marks)


def _list_rows(attributes: list[str]) -> list[list[str]]:
    """Return the rows of `#[case(1, 2)]` and `#[test_case(1, 2)]`, or one empty row."""
    cases = [
        re.sub(r"^#\[\s*(\w+::)*(test_)?case\w*\s*\(|\)\s*\]$", "", each)
        for each in attributes
        if re.match(r"#\[\s*(\w+::)*(test_)?case\w*\s*\(", each)
    ]
    return [re.split(r"\s*(?:,|=>|;)\s*", each) for each in cases] or [[]]


def _bind_row(node: SgNode, row: list[str], variables: Variables) -> None:
    parameters = node.field("parameters")
    named = [
        each
        for each in (list_parts(parameters) if parameters is not None else ())
        if each.kind() == "parameter"
    ]
    for given, written in zip(named, row, strict=False):
        pattern = given.field("pattern")
        if pattern is not None:
            text = normalize_string(written) if '"' in written else normalize_number(written)
            bind(pattern, Value((text,)), variables)


def _read_marks(attributes: list[str]) -> frozenset[str]:
    marks = set()
    for each in attributes:
        configured = _CFG_ATTRIBUTE.match(each)
        if configured and re.sub(r"\s", "", configured[2]) != "test":
            marks.add(_normalize_mark(each))
        if re.match(r"#\[\s*ignore\b", each):
            marks.add("`#[ignore]`")
        if re.match(r"#\[\s*should_panic\b", each):
            marks.add("`#[should_panic]`")
    return frozenset(marks)


def _read_expected_panic(
    attributes: list[str], body: SgNode, variables: Variables
) -> list[Assertion]:
    for each in attributes:
        if "should_panic" in each:
            message = _QUOTED_TEXT.search(each)
            expected = Value((f'"{message[1]}',) if message else ())
            actual = Value(
                evaluate(body, variables).literals, evaluate(body, variables).calls, known=False
            )
            return [
                Assertion(
                    EXACT if message else PARTIAL, actual.literals, expected.literals, actual.calls
                )
            ]
    return []


# #[cfg(test)] mod tests;
_MODULE_DECLARATION = r"((?:#\[[^\n]*\]\s*)*)(?:pub(?:\([^)]*\))?\s+)?mod\s+{}\s*;"


def find_exclusion_marks(path: str, sources: Iterable[str]) -> frozenset[str]:
    """Return marks if a file below `src` is not declared as a module, or only conditionally."""
    *folders, name = path.split("/")
    stem = folders[-1] if name == "mod.rs" and folders else name.removesuffix(".rs")
    if "src" not in folders or stem in ("lib", "main", "src") or "bin" in folders:
        return frozenset()
    pattern = re.compile(_MODULE_DECLARATION.format(re.escape(stem)))
    found = [declaration for text in sources if (declaration := pattern.search(text)) is not None]
    if not found:
        return frozenset((f"no `mod {stem};`",))
    attributes = re.findall(r"#\[[^\n]*?\](?=\s|$)", found[0][1])
    return _read_marks(attributes)
