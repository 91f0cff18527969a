"""Literals that stand together: in an assertion or a row, and in a branch with its answer."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import permutations
from typing import TypeAlias

from ast_grep_py import SgNode
from msgspec import Struct
from msgspec.structs import replace

from untildone.integrity.hard_coded.constant_folding import fold_constants, read_constants
from untildone.syntax.parsing import parse_source

_LITERAL_KINDS = frozenset(
    (
        *("integer", "float", "number", "int_literal", "float_literal", "integer_literal"),
        *("decimal_integer_literal", "decimal_floating_point_literal", "number_literal"),
        *("string", "string_literal", "interpreted_string_literal", "raw_string_literal"),
        *("template_string", "unary_operator", "unary_expression", "real_literal"),
        *("true", "false", "none", "null", "nil", "True", "False", "boolean_literal"),
    )
)
_GROUP_KINDS = (
    *("assert_statement", "call", "call_expression", "method_invocation", "macro_invocation"),
    *("tuple", "list", "array", "literal_value", "tuple_expression", "array_expression"),
    *("if_statement", "pair", "dictionary", "object", "array_initializer", "initializer_list"),
)
_MAX_LITERALS_IN_GROUP = 12
_CONTAINER_KINDS = (
    *("tuple", "list", "array", "literal_value", "dictionary", "object", "tuple_expression"),
    *("array_expression", "array_initializer", "initializer_list", "pair"),
)
_BODY_KINDS = ("statement_block", "block", "func_literal", "lambda_expression", "lambda")
_BRANCH_KINDS = (
    *("if_statement", "elif_clause", "if_expression", "conditional_expression"),
    *("ternary_expression", "case_clause", "switch_case", "expression_case", "match_arm"),
    *("switch_block_statement_group", "switch_rule", "pair", "keyed_element", "case_statement"),
    *("boolean_operator", "binary_operator", "when_entry"),
)
_ROW_KINDS = ("array", "tuple", "tuple_expression", "argument_list", "arguments", "literal_value")
_NUMBER = re.compile(
    r"[+-]?\s*(0[xX][0-9a-fA-F_]+|[\d_]+(\.[\d_]*)?([eE][+-]?\d+)?)(_?[iuf]\d+|[lLfFdDnuU])*"
)
_QUOTED = re.compile(r"^[rRbBuUfF]{0,2}(\"\"\"|'''|[\"'`])(.*)\1$", re.DOTALL)
_FUNCTION_KINDS = (
    *("function_definition", "function_declaration", "method_declaration", "method_definition"),
    *("function_item", "arrow_function", "function_expression"),
)
# Of the upper bound.
_NARROW_RANGE = 0.02
_NAME_KINDS = ("identifier", "simple_identifier")
_BINDING_KINDS = (
    *("assignment", "augmented_assignment", "variable_declarator", "short_var_declaration"),
    *("assignment_statement", "assignment_expression", "let_declaration", "for_in_statement"),
    *("augmented_assignment_expression", "for_statement", "for_expression", "for_in_clause"),
)
_BINDING_SIGN = re.compile(r"(?<![=!<>])[-+*/|]?:?=(?![=>])|\b(in|of)\b|:=")
# A table asked for its entry: ANSWERS[total], answers.get(total, 0)
_TABLE_LOOKUP = re.compile(r"\b\w+(\[[\w.]+\]|\.(get|has|contains_key|getOrDefault)\(&?\w+\b)")
_Constants: TypeAlias = Callable[[], Mapping[str, object]]
_Computes: TypeAlias = Callable[[SgNode], bool]
_COMPUTATION = re.compile(r"[\w)\]'\"]\s*[-+*/%]\s*[\w('\"]|\w\[|[A-Z]\w*\.\w")
_MAX_EXPRESSION_LENGTH = 200
_MAX_TABLE_LENGTH = 4_000


class Answer(Struct, frozen=True):
    """`keys` are compared with; `value` is what comes out for them."""

    keys: tuple[str, ...]
    value: str
    function: str
    line: int
    # The function computes something for other inputs.
    computes: bool
    # Reckoned of constants, as in `90 * MINUTE`.
    is_folded: bool = False
    # Where a table of plain names begins, as in `{ open: 'Open' }`: each is one by itself.
    table_line: int = 0


def normalize_literal(text: str) -> str | None:
    """A number or text as it means the same in every language; None for anything else."""
    plain = text.strip()
    if quoted := _QUOTED.match(plain):
        return f"'{quoted[2]}'"
    if _NUMBER.fullmatch(plain):
        return _normalize_number(plain)
    return {"true": "true", "false": "false"}.get(plain.lower())


def _normalize_number(text: str) -> str:
    bare = re.sub(r"[\s_]", "", text)
    try:
        value = (
            float(int(bare, 16))
            if "x" in bare.lower()
            else float(re.sub(r"([iuf]\d+|[a-zA-Z]+)$", "", bare))
        )
    except (ValueError, OverflowError):
        return bare
    return f"{value:g}" if abs(value) < 1e15 else bare


def find_literal_pairs(
    text: str, spoken: str, wanted: frozenset[str]
) -> Iterator[frozenset[tuple[str, str]]]:
    """Of every assertion, call and row that has one of these: which literal stands beside which."""
    top = parse_source(text, spoken)
    for kind in _GROUP_KINDS:
        for node in _find_all(top, kind):
            found = (
                each for part in _list_compared_parts(node) for each in _list_literals_below(part)
            )
            values = tuple(dict.fromkeys(found))
            told = 2 <= len(values) <= _MAX_LITERALS_IN_GROUP and not wanted.isdisjoint(values)
            if told and not _has_body(node) and not _holds_rows(node):
                yield frozenset(permutations(values, 2))


def _has_body(node: SgNode) -> bool:
    return any(
        _find_all(part, inner) for part in _list_compared_parts(node) for inner in _BODY_KINDS
    )


def _list_compared_parts(node: SgNode) -> list[SgNode]:
    """Of a condition, what is asked: not what is done about it."""
    if node.kind() != "if_statement":
        return [node]
    return [part for name in ("initializer", "condition") if (part := node.field(name))]


def _holds_rows(node: SgNode) -> bool:
    """Rows are groups of their own: what stands in two of them does not belong together."""
    inner = [each for kind in _CONTAINER_KINDS for each in _find_all(node, kind) if each != node]
    return sum(len(_list_literals_below(each)) > 1 for each in inner) > 1


def _list_literals_below(node: SgNode) -> list[str]:
    """In order of the text, not too many; a number's sign belongs to it."""
    found: list[str] = []
    waiting = [node]
    while waiting and len(found) <= _MAX_LITERALS_IN_GROUP:
        each = waiting.pop()
        value = normalize_literal(each.text()) if each.kind() in _LITERAL_KINDS else None
        if value is not None:
            found.append(value)
        else:
            waiting += reversed(each.children())
    return found


def list_literals(text: str, spoken: str, *, documenting: bool = True) -> Iterator[str]:
    """All of them; of a text that holds several values, these too."""
    top = parse_source(text, spoken)
    for kind in sorted(_LITERAL_KINDS):
        for node in _find_all(top, kind):
            value = normalize_literal(node.text())
            if value is not None and (documenting or not _is_statement(node)):
                yield value
                parts = re.findall(r"[\w.]+", value) if value.startswith("'") else []
                yield from (normalize_literal(part) or f"'{part}'" for part in parts)


def _is_statement(node: SgNode) -> bool:
    """Nobody takes it up, but for who asks for the documentation."""
    above = node.parent()
    return above is not None and above.kind() == "expression_statement"


def find_answers(text: str, spoken: str) -> Iterator[Answer]:
    """Branches, cases and table entries that give one literal for another."""
    top, known = parse_source(text, spoken), cache(lambda: read_constants(text, spoken))
    # Once for each function, not for each of the answers that it gives.
    computes = cache(_depends_on_input)
    for kind in _BRANCH_KINDS:
        for node in _find_all(top, kind):
            yield from _read_branch(node, known, computes)
    for kind in _ROW_KINDS:
        for node in _find_all(top, kind):
            values = _read_row(node)
            if values:
                yield _make_answer(node, computes, keys=values[:-1], value=values[-1])


def _read_row(node: SgNode) -> tuple[str, ...]:
    """`[100, 90]` among others of its kind, or the arguments of `table.set(100, 90)`."""
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
    """No tests ask for all of a large table."""
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
    """What is compared, and what comes of it."""
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
        yield from _read_narrow_range(_list_literals_below(condition)) if compared else ()
    elif not compared or _EQUALITY.search(text):
        yield from _list_literals_below(condition)


def _read_narrow_range(bounds: list[str]) -> Iterator[str]:
    """`99 < total < 101` is `total == 100` in other words."""
    numbers = [float(each) for each in bounds if _NUMBER.fullmatch(each)]
    if (
        len(bounds) == len(numbers) == 2
        and 0 < numbers[1] - numbers[0] <= _NARROW_RANGE * numbers[1]
    ):
        yield _normalize_number(str(sum(numbers) / 2))


def _read_values(consequence: SgNode, wholes: list[SgNode]) -> Iterator[str]:
    """Literals that are the whole answer: nothing in it depends on the input; errors by name."""
    for kind in ("raise_statement", "throw_statement"):
        raised = (_ERROR_NAME.search(node.text()) for node in _find_all(consequence, kind))
        yield from (found[1] for found in raised if found is not None)
    for whole in wholes:
        called = {each.field("function") for each in _find_all(whole, "call")}
        called |= {each.field("function") for each in _find_all(whole, "call_expression")}
        names = [
            each
            for kind in _NAME_KINDS
            for each in _find_all(whole, kind)
            if not any(each.text() in call.text() for call in called if call is not None)
        ]
        found = _list_literals_below(whole)
        if not names and 1 <= len(found) <= 4 and not _is_block(whole):
            yield from found


def _list_results(consequence: SgNode) -> Iterator[SgNode]:
    kinds = ("return_statement", "return_expression", "assignment", "assignment_expression")
    returned = [node for kind in kinds for node in _find_all(consequence, kind)]
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
    """More than one statement: not an answer but a procedure."""
    named = [each for each in node.children() if each.is_named()]
    return "block" in node.kind() and len(named) > 1


def _depends_on_input(function: SgNode) -> bool:
    """Something returned depends on what came in, or on what the object holds."""
    body = function.field("body")
    if body is None:
        return False
    names = _list_input_names(function, body)
    returned = [
        node for kind in ("return_statement", "return_expression") for node in _find_all(body, kind)
    ]
    last = [each for each in body.children() if each.is_named()][-1:]
    texts = (_TABLE_LOOKUP.sub("", node.text()) for node in (*returned, *last))
    return any(names.intersection(re.findall(r"\w+", text)) for text in texts)


def _list_input_names(function: SgNode, body: SgNode) -> set[str]:
    """Parameters, and variables that are made of them."""
    parameters = function.field("parameters") or function.field("parameter")
    names = {"this", "self"}
    if parameters is not None:
        names |= {each.text() for kind in _NAME_KINDS for each in _find_all(parameters, kind)}
    bindings = [each for kind in _BINDING_KINDS for each in _find_all(body, kind)]
    for each in sorted(bindings, key=lambda node: node.range().start.line):
        made, _, of = _BINDING_SIGN.sub(
            "\0", _TABLE_LOOKUP.sub("", each.text()), count=1
        ).partition("\0")
        if names.intersection(re.findall(r"\w+", of.partition("{\n")[0])):
            names.update(re.findall(r"\w+", made))
    return names


def _find_all(top: SgNode, kind: str) -> list[SgNode]:
    try:
        return top.find_all(kind=kind)
    except RuntimeError:
        return []


def find_computing_functions(text: str, spoken: str) -> Iterator[str]:
    """Names of functions whose answer depends on what comes in."""
    top = parse_source(text, spoken)
    for kind in _FUNCTION_KINDS:
        for node in _find_all(top, kind):
            name = node.field("name")
            if name is not None and _depends_on_input(node):
                yield name.text()
