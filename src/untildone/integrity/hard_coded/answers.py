"""Finds hard-coded answers in source: branches and table entries that return a literal."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TypeAlias

from ast_grep_py import SgNode
from msgspec import Struct
from msgspec.structs import replace

from untildone.integrity.hard_coded.constant_folding import fold_constants, read_constants
from untildone.integrity.hard_coded.literals import (
    NUMBER,
    detect_language,
    list_literals_below,
    normalize_literal,
    normalize_number,
    parse_with_json,
)
from untildone.syntax.parsing import find_kinds
from untildone.worktree.contents import Tree

_BRANCH_KINDS = (
    *("if_statement", "elif_clause", "if_expression", "conditional_expression"),
    *("ternary_expression", "case_clause", "switch_case", "expression_case", "match_arm"),
    *("switch_block_statement_group", "switch_rule", "pair", "keyed_element", "case_statement"),
    *("boolean_operator", "binary_operator", "when_entry"),
)
_ROW_KINDS = ("array", "tuple", "tuple_expression", "argument_list", "arguments", "literal_value")
_FUNCTION_KINDS = (
    *("function_definition", "function_declaration", "method_declaration", "method_definition"),
    *("function_item", "arrow_function", "function_expression"),
)
# As a share of the upper bound.
_NARROW_RANGE = 0.02
_NAME_KINDS = ("identifier", "simple_identifier")
_BINDING_KINDS = (
    *("assignment", "augmented_assignment", "variable_declarator", "short_var_declaration"),
    *("assignment_statement", "assignment_expression", "let_declaration", "for_in_statement"),
    *("augmented_assignment_expression", "for_statement", "for_expression", "for_in_clause"),
)
_BINDING_SIGN = re.compile(r"(?<![=!<>])[-+*/|]?:?=(?![=>])|\b(in|of)\b|:=")
# ANSWERS[total], answers.get(total, 0)
_TABLE_LOOKUP = re.compile(r"\b\w+(\[[\w.]+\]|\.(get|has|contains_key|getOrDefault)\(&?\w+\b)")
_Constants: TypeAlias = Callable[[], Mapping[str, object]]
_Computes: TypeAlias = Callable[[SgNode], bool]
_COMPUTATION = re.compile(r"[\w)\]'\"]\s*[-+*/%]\s*[\w('\"]|\w\[|[A-Z]\w*\.\w")
_MAX_EXPRESSION_LENGTH = 200
_MAX_TABLE_LENGTH = 4_000


class Answer(Struct, frozen=True):
    """The input is compared with `keys`; `value` is the result for them."""

    keys: tuple[str, ...]
    value: str
    function: str
    line: int
    # The function computes something for other inputs.
    computes: bool
    # The value is computed from constants, as in `90 * MINUTE`.
    is_folded: bool = False
    # The first line of a table of plain names, as in `{ open: 'Open' }`; 0 for other answers.
    table_line: int = 0


def find_answers(tree: Tree, path: str) -> Iterator[Answer]:
    """Yield the branches, cases and table entries that map literals to a literal."""
    root = tree.fact(parse_with_json, path)
    known = cache(lambda: read_constants(tree.text(path), detect_language(path)))
    # Computed once for each function, not for each of its answers.
    computes = cache(_depends_on_input)
    for node in find_kinds(root, _BRANCH_KINDS):
        yield from _read_branch(node, known, computes)
    for node in find_kinds(root, _ROW_KINDS):
        values = _read_row(node)
        if values:
            yield _make_answer(node, computes, keys=values[:-1], value=values[-1])


def _read_row(node: SgNode) -> tuple[str, ...]:
    """Return the literals of `[100, 90]` in a list of rows, or of `table.set(100, 90)`."""
    parts = [each for each in node.children() if each.is_named()]
    values = [normalize_literal(_unwrap_element(each).text()) for each in parts]
    if not 2 <= len(parts) <= 4 or None in values:
        return ()
    above = node.parent()
    if above is None:
        return ()
    if node.kind() in ("argument_list", "arguments"):
        return _drop_none(values) if re.search(r"\.(set|put|insert)\(", above.text()) else ()
    among = [each for each in above.children() if each.kind() == node.kind()]
    return _drop_none(values) if len(among) > 1 or above.kind() == "literal_element" else ()


def _drop_none(values: list[str | None]) -> tuple[str, ...]:
    return tuple(value for value in values if value is not None)


def _unwrap_element(node: SgNode) -> SgNode:
    children = [each for each in node.children() if each.is_named()]
    return children[0] if node.kind() == "literal_element" and len(children) == 1 else node


def _read_branch(node: SgNode, known: _Constants, computes: _Computes) -> Iterator[Answer]:
    condition, consequence = _split_branch(node)
    if condition is None or consequence is None:
        return
    keys = tuple(_read_keys(condition, node.kind()))
    named = condition.kind() == "property_identifier"
    if named:
        keys = (f"'{condition.text()}'",)
    if not keys or (named and _is_in_long_table(node)):
        return
    wholes = list(_list_results(consequence))
    for value in _read_values(consequence, wholes):
        # A name with a number beside it is a setting, as in `{ width: 80 }`.
        if not named or value.startswith("'"):
            yield replace(
                _make_answer(node, computes, keys=keys, value=value),
                table_line=_find_table_line(node) * named,
            )
    for value in _fold_results(wholes, known):
        yield replace(_make_answer(node, computes, keys=keys, value=value), is_folded=True)


def _is_in_long_table(entry: SgNode) -> bool:
    """Whether the table is larger than tests could cover."""
    above = entry.parent()
    return above is not None and len(above.text()) > _MAX_TABLE_LENGTH


def _find_table_line(entry: SgNode) -> int:
    above = entry.parent()
    return above.range().start.line + 1 if above is not None else 0


def _make_answer(node: SgNode, computes: _Computes, *, keys: tuple[str, ...], value: str) -> Answer:
    function = next((each for each in node.ancestors() if each.kind() in _FUNCTION_KINDS), None)
    name = function.field("name") if function is not None else None
    return Answer(
        keys,
        value,
        name.text() if name is not None else "",
        node.range().start.line + 1,
        function is not None and computes(function),
    )


def _split_branch(node: SgNode) -> tuple[SgNode | None, SgNode | None]:
    """Return the condition and the consequence of a branch."""
    named = [each for each in node.children() if each.is_named() and "comment" not in each.kind()]
    kind = node.kind()
    if kind in ("if_statement", "elif_clause", "if_expression", "ternary_expression"):
        return node.field("condition"), node.field("consequence")
    if kind == "conditional_expression" and len(named) == 3:
        # Python puts the answer first, C the condition.
        python = node.child(1) is not None and node.text().find("?") < 0
        return (named[1], named[0]) if python else (named[0], named[1])
    if kind in ("boolean_operator", "binary_operator"):
        return (named[0], named[1]) if re.search(r"\s(and|\*)\s", node.text()) else (None, None)
    return (named[0], named[-1]) if len(named) >= 2 else (None, None)


# raise errors.OutOfStock(name), throw new RangeError()
_ERROR_NAME = re.compile(r"\b([A-Z]\w+)")
_EQUALITY = re.compile(
    r"==|\.equals\(|\.eq\(|\bis\b|\bin\b|\.includes\(|\.contains\(|Object\.is\(|strcmp"
)
_ORDER = re.compile(r"(?<![=!<>-])[<>](?!=?>)|[<>]=|!=|\bnot\b|\bisinstance\b|\btypeof\b|%")


def _read_keys(condition: SgNode, kind: str) -> Iterator[str]:
    text = re.sub(r"\"[^\"]*\"|'[^']*'|`[^`]*`", "''", condition.text())
    compared = kind.startswith(("if", "elif", "conditional", "ternary", "boolean", "binary"))
    if _ORDER.search(text):
        yield from _read_narrow_range(list_literals_below(condition)) if compared else ()
    elif not compared or _EQUALITY.search(text):
        yield from list_literals_below(condition)


def _read_narrow_range(bounds: list[str]) -> Iterator[str]:
    """Yield 100 for `99 < total < 101`, which means `total == 100`."""
    numbers = [float(each) for each in bounds if NUMBER.fullmatch(each)]
    if (
        len(bounds) == len(numbers) == 2
        and 0 < numbers[1] - numbers[0] <= _NARROW_RANGE * numbers[1]
    ):
        yield normalize_number(str(sum(numbers) / 2))


def _read_values(consequence: SgNode, wholes: list[SgNode]) -> Iterator[str]:
    """Yield the literals of results that do not depend on the input, and raised errors."""
    for node in find_kinds(consequence, ("raise_statement", "throw_statement")):
        if (error := _ERROR_NAME.search(node.text())) is not None:
            yield error[1]
    for whole in wholes:
        called = {each.field("function") for each in find_kinds(whole, ("call", "call_expression"))}
        names = [
            each
            for each in find_kinds(whole, _NAME_KINDS)
            if not any(each.text() in call.text() for call in called if call is not None)
        ]
        found = list_literals_below(whole)
        if not names and 1 <= len(found) <= 4 and not _is_block(whole):
            yield from found


def _list_results(consequence: SgNode) -> Iterator[SgNode]:
    kinds = ("return_statement", "return_expression", "assignment", "assignment_expression")
    returned = list(find_kinds(consequence, kinds))
    for node in returned or [consequence]:
        yield node.field("right") or node


def _fold_results(wholes: list[SgNode], known: _Constants) -> Iterator[str]:
    for whole in wholes:
        text = whole.text().strip("{}")
        if (
            normalize_literal(text) is None
            and _COMPUTATION.search(text)
            and len(text) <= _MAX_EXPRESSION_LENGTH
        ):
            value = normalize_literal(fold_constants(text, known()))
            yield from () if value is None else (value,)


def _is_block(node: SgNode) -> bool:
    """Whether the node has several statements, so that it is no plain answer."""
    named = [each for each in node.children() if each.is_named()]
    return "block" in node.kind() and len(named) > 1


def _depends_on_input(function: SgNode) -> bool:
    """Whether a returned value depends on the parameters or on the object."""
    body = function.field("body")
    if body is None:
        return False
    names = _list_input_names(function, body)
    returned = find_kinds(body, ("return_statement", "return_expression"))
    last = [each for each in body.children() if each.is_named()][-1:]
    texts = (_TABLE_LOOKUP.sub("", node.text()) for node in (*returned, *last))
    return any(names.intersection(re.findall(r"\w+", text)) for text in texts)


def _list_input_names(function: SgNode, body: SgNode) -> set[str]:
    """Return the parameters and the variables that are computed from them."""
    parameters = function.field("parameters") or function.field("parameter")
    names = {"this", "self"}
    if parameters is not None:
        names |= {each.text() for each in find_kinds(parameters, _NAME_KINDS)}
    bindings = find_kinds(body, _BINDING_KINDS)
    for each in sorted(bindings, key=lambda node: node.range().start.line):
        made, _, of = _BINDING_SIGN.sub(
            "\0", _TABLE_LOOKUP.sub("", each.text()), count=1
        ).partition("\0")
        if names.intersection(re.findall(r"\w+", of.partition("{\n")[0])):
            names.update(re.findall(r"\w+", made))
    return names


def find_computing_functions(tree: Tree, path: str) -> Iterator[str]:
    """Yield the names of functions whose result depends on their input."""
    for node in find_kinds(tree.fact(parse_with_json, path), _FUNCTION_KINDS):
        name = node.field("name")
        if name is not None and _depends_on_input(node):
            yield name.text()
