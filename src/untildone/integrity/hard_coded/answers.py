"""Finds answers in source: branches and table entries that give a literal for a literal.

`if total == 100: return 90` answers 90 for 100, as `{100: 90}` and `table.set(100, 90)` do. Whether
that is a special case for a test or a rule of the product is decided in `copied_answers.py`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TypeAlias

from ast_grep_py import SgNode
from msgspec import Struct
from msgspec.structs import replace

from untildone.core.late_patterns import compile_late
from untildone.integrity.hard_coded import input_dependence
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
from untildone.words import words
from untildone.worktree.contents import Tree

# In the order in which answers are reported.
_BRANCH_KINDS = (
    *("if_statement", "elif_clause", "if_expression", "conditional_expression"),
    *("ternary_expression", "case_clause", "switch_case", "expression_case", "match_arm"),
    *("switch_block_statement_group", "switch_rule", "pair", "keyed_element", "case_statement"),
    *("boolean_operator", "binary_operator", "when_entry"),
)
_IF_KINDS = words("if_statement elif_clause if_expression ternary_expression")
_OPERATOR_KINDS = words("boolean_operator binary_operator")
# `if total == 100` has a condition, `case 100` just the value.
_CONDITIONAL_KINDS = _IF_KINDS | _OPERATOR_KINDS | {"conditional_expression"}
# `[100, 90]` in a list of rows, or the arguments of `table.set(100, 90)`.
_ROW_KINDS = ("array", "tuple", "tuple_expression", "argument_list", "arguments", "literal_value")
_RESULT_KINDS = ("return_statement", "return_expression", "assignment", "assignment_expression")
# table.set(100, 90)
_TABLE_ENTRY = compile_late(r"\.(set|put|insert)\(")
# raise errors.OutOfStock(name), throw new RangeError()
_ERROR_NAME = compile_late(r"\b([A-Z]\w+)")
# Conditions that hold for certain values only ...
_EQUALITY = compile_late(
    r"==|\.equals\(|\.eq\(|\bis\b|\bin\b|\.includes\(|\.contains\(|Object\.is\(|strcmp"
)
# ... and those that hold for many: `total > 100`, `total != 100`, `total % 2`.
_ORDER = compile_late(r"(?<![=!<>-])[<>](?!=?>)|[<>]=|!=|\bnot\b|\bisinstance\b|\btypeof\b|%")
# `90 * MINUTE`, `RATES[0]`, `Unit.HOUR`
_COMPUTATION = compile_late(r"[\w)\]'\"]\s*[-+*/%]\s*[\w('\"]|\w\[|[A-Z]\w*\.\w")
# `99 < total < 101` means 100: the width of such a range as a share of its upper bound.
_NARROW_RANGE = 0.02
_MAX_EXPRESSION_LENGTH = 200
_MAX_TABLE_LENGTH = 4_000
# Returns the constants of the file by name; only called if an answer needs them.
_Constants: TypeAlias = Callable[[], Mapping[str, object]]
# Says whether a function computes its result from its input.
_Computes: TypeAlias = Callable[[SgNode], bool]


class Answer(Struct, frozen=True):
    """A literal result (`value`) for an input that equals one of the literals `keys`."""

    keys: tuple[str, ...]
    value: str
    # The function that has the branch or table; "" at the top of the file.
    function: str
    line: int
    # Whether that function computes its result for other inputs.
    function_computes: bool
    # The value is computed from constants, as in `90 * MINUTE`.
    is_folded: bool = False
    # The first line of a table of plain names, as in `{ open: 'Open' }`; 0 for other answers.
    table_line: int = 0


def find_answers(tree: Tree, path: str) -> Iterator[Answer]:
    """Yield the answers of the file's branches, cases and table entries."""
    root = tree.fact(parse_with_json, path)
    constants = cache(lambda: read_constants(tree.text(path), detect_language(path)))
    # Computed once for each function, not for each of its answers.
    computes = cache(input_dependence.depends_on_input)
    for node in find_kinds(root, _BRANCH_KINDS):
        yield from _read_branch(node, constants, computes)
    for node in find_kinds(root, _ROW_KINDS):
        if values := _read_row(node):
            yield _make_answer(node, computes, keys=values[:-1], value=values[-1])


def _list_named_children(node: SgNode) -> list[SgNode]:
    """Return the children that are no punctuation or keyword."""
    return [child for child in node.children() if child.is_named()]


def _read_row(node: SgNode) -> tuple[str, ...]:
    """Return the literals of `[100, 90]` in a list of rows, or of `table.set(100, 90)`.

    It is empty if the node is no such row.
    """
    elements = map(_unwrap_element, _list_named_children(node))
    literals = [normalize_literal(element.text()) for element in elements]
    values = tuple(literal for literal in literals if literal is not None)
    parent = node.parent()
    is_row = 2 <= len(values) <= 4 and len(values) == len(literals)
    if parent is None or not is_row:
        return ()
    if node.kind() in ("argument_list", "arguments"):
        return values if _TABLE_ENTRY.search(parent.text()) else ()
    # A list beside which no other stands is a value, not a row of a table.
    rows = [sibling for sibling in parent.children() if sibling.kind() == node.kind()]
    return values if len(rows) > 1 or parent.kind() == "literal_element" else ()


def _unwrap_element(node: SgNode) -> SgNode:
    """Return the element inside of a `literal_element`, in which Go's grammar wraps it."""
    children = _list_named_children(node)
    return children[0] if node.kind() == "literal_element" and len(children) == 1 else node


def _read_branch(node: SgNode, constants: _Constants, computes: _Computes) -> Iterator[Answer]:
    """Yield the answers of one branch: each literal that it returns or assigns."""
    condition, consequence = _split_branch(node)
    if condition is None or consequence is None:
        return
    keys = tuple(_read_keys(condition, node.kind()))
    # `{ open: 'Open' }` in JavaScript: the key is a plain name, so it is quoted here.
    table = node.parent() if condition.kind() == "property_identifier" else None
    if table is not None:
        # Tests cannot cover a long table.
        is_long = len(table.text()) > _MAX_TABLE_LENGTH
        keys = () if is_long else (f"'{condition.text()}'",)
    if not keys:
        return
    statements = list(find_kinds(consequence, _RESULT_KINDS)) or [consequence]
    # Of `price = 90` the result is the right side.
    results = [statement.field("right") or statement for statement in statements]
    for value in _read_values(consequence, results):
        # A name with a number beside it is a setting, as in `{ width: 80 }`.
        if table is None or value.startswith("'"):
            table_line = table.range().start.line + 1 if table is not None else 0
            answer = _make_answer(node, computes, keys=keys, value=value)
            yield replace(answer, table_line=table_line)
    for value in _fold_results(results, constants):
        yield replace(_make_answer(node, computes, keys=keys, value=value), is_folded=True)


def _make_answer(node: SgNode, computes: _Computes, *, keys: tuple[str, ...], value: str) -> Answer:
    """Return the answer with the line of the node and the innermost function around it."""
    kinds = input_dependence.FUNCTION_KINDS
    function = next((outer for outer in node.ancestors() if outer.kind() in kinds), None)
    name = function.field("name") if function is not None else None
    return Answer(
        keys,
        value,
        name.text() if name is not None else "",
        node.range().start.line + 1,
        function is not None and computes(function),
    )


def _split_branch(node: SgNode) -> tuple[SgNode | None, SgNode | None]:
    """Return the condition and the consequence of a branch; None for what it does not have.

    Of `case 100: return 90` they are `100` and `return 90`, of an entry `100: 90` key and value.
    """
    parts = [child for child in _list_named_children(node) if "comment" not in child.kind()]
    kind = node.kind()
    if kind in _IF_KINDS:
        return node.field("condition"), node.field("consequence")
    if kind == "conditional_expression" and len(parts) == 3:
        # Python's `90 if total == 100 else 0` puts the answer first, C's `?:` the condition.
        is_python = node.child(1) is not None and "?" not in node.text()
        return (parts[1], parts[0]) if is_python else (parts[0], parts[1])
    if kind in _OPERATOR_KINDS:
        # total == 100 and 90, (total == 100) * 90
        return (parts[0], parts[1]) if re.search(r"\s(and|\*)\s", node.text()) else (None, None)
    return (parts[0], parts[-1]) if len(parts) >= 2 else (None, None)


def _read_keys(condition: SgNode, kind: str) -> Iterator[str]:
    """Yield the literals that the input is compared with for equality.

    `total == 100` and `total in (100, 200)` have such keys, `total > 100` has none.
    """
    # An operator inside of a string is no comparison.
    text = re.sub(r"\"[^\"]*\"|'[^']*'|`[^`]*`", "''", condition.text())
    has_operator = kind in _CONDITIONAL_KINDS
    if _ORDER.search(text):
        yield from _read_narrow_range(list_literals_below(condition)) if has_operator else ()
    elif not has_operator or _EQUALITY.search(text):
        yield from list_literals_below(condition)


def _read_narrow_range(bounds: list[str]) -> Iterator[str]:
    """Yield 100 for `99 < total < 101`, which means `total == 100`."""
    numbers = [float(bound) for bound in bounds if NUMBER.fullmatch(bound)]
    if len(bounds) == len(numbers) == 2:
        low, high = numbers
        if 0 < high - low <= _NARROW_RANGE * high:
            yield normalize_number(str(sum(numbers) / 2))


def _read_values(consequence: SgNode, results: list[SgNode]) -> Iterator[str]:
    """Yield the names of raised errors, and the literals of results that use no variable."""
    for node in find_kinds(consequence, ("raise_statement", "throw_statement")):
        if (error := _ERROR_NAME.search(node.text())) is not None:
            yield error[1]
    for result in results:
        calls = find_kinds(result, ("call", "call_expression"))
        # `Decimal("90")` is an answer: its only name is that of a function, not of a variable.
        callees = [name.text() for call in calls if (name := call.field("function")) is not None]
        names = (node.text() for node in find_kinds(result, input_dependence.NAME_KINDS))
        has_variable = any(not any(name in callee for callee in callees) for name in names)
        literals = list_literals_below(result)
        # Several statements are no plain answer.
        is_block = "block" in result.kind() and len(_list_named_children(result)) > 1
        if not has_variable and 1 <= len(literals) <= 4 and not is_block:
            yield from literals


def _fold_results(results: list[SgNode], constants: _Constants) -> Iterator[str]:
    """Yield the values of results that are computed from constants: 5400 for `90 * MINUTE`."""
    for result in results:
        text = result.text().strip("{}")
        is_expression = normalize_literal(text) is None and _COMPUTATION.search(text)
        if is_expression and len(text) <= _MAX_EXPRESSION_LENGTH:
            value = normalize_literal(fold_constants(text, constants()))
            if value is not None:
                yield value
