"""Evaluates the expressions of tests to the literals and calls that they consist of.

With `rows = [(10, 9), (20, 18)]` the value of `rows[0]` is a sequence of 10 and 9, and that of
`price(rows[0])` has these literals and the call `price`. A name that nothing bound is unknown.
`Value` in `values.py` describes the result.
"""

import re
from collections.abc import Callable, Iterable

from ast_grep_py import SgNode

from untildone.integrity.tests.values import (
    UNKNOWN,
    Value,
    Variables,
    combine,
    hash_text,
    make_sequence,
)
from untildone.syntax import nodes
from untildone.words import words

# `pytest.param(10, 9)`, `Arguments.of(10, 9)`, `Object.freeze(rows)` stand for their arguments.
_ROW_CALLS = words("param of arguments Array freeze")
# `list(rows)` does too, but `client.list(rows)` is a call of the product.
_COLLECTION_CALLS = words("tuple list set dict")
# What `table.items()` in Python or `Object.entries(table)` in JavaScript returns of each entry: the
# key is field "0", the value field "1". No entry has a field "pair", so it is returned itself.
_VIEWS = {"items": "pair", "entries": "pair", "keys": "0", "values": "1"}
# `sorted(table)` iterates over the keys of a mapping.
_KEY_ITERATORS = words("sorted list tuple set")
# Parts of an expression that have no value, such as the parameters of a lambda.
_VALUELESS_KINDS = words("""
    parameters formal_parameters parameter_list type type_annotation type_identifier
    type_arguments lambda_parameters closure_parameters
""")
# `{ total }` in JavaScript and `Order { total }` in Rust mean `total: total`.
_SHORTHANDS = words("shorthand_property_identifier shorthand_field_initializer")
_MAX_TEMPLATE_LENGTH = 10_000


def evaluate(node: SgNode, variables: Variables) -> Value:
    """Return the value of an expression with the variables filled in.

    An expression without a rule of its own, such as `a + b`, has the values of its parts.
    """
    node = nodes.unwrap(node)
    literal = nodes.read_literal(node)
    if literal is not None:
        return Value((literal,))
    kind = node.kind()
    if kind in nodes.NAMES:
        return variables.get(node.text(), UNKNOWN)
    if kind in _EVALUATORS:
        return _EVALUATORS[kind](node, variables)
    if kind in nodes.STRINGS and (text := _fill_template(node, variables)):
        return Value((text,))
    parts = nodes.list_parts(node)
    if kind in nodes.SEQUENCES:
        # Go's `[]int{1, 2}` begins with its type.
        elements = (part for part in parts if part.kind() not in ("slice_type", "type_identifier"))
        return make_sequence(evaluate_all(elements, variables))
    return combine(
        evaluate_all((part for part in parts if part.kind() not in _VALUELESS_KINDS), variables)
    )


def evaluate_all(expressions: Iterable[SgNode], variables: Variables) -> list[Value]:
    """Return the values of the expressions in their order."""
    return [evaluate(expression, variables) for expression in expressions]


def _fill_template(node: SgNode, variables: Variables) -> str:
    """Return the literal of `f"{name}.txt"`, or "" if a name in it is unknown."""
    pieces = [_read_piece(part, variables) for part in nodes.list_parts(node)]
    if None in pieces:
        return ""
    text = "".join(filter(None, pieces))
    if len(text) > _MAX_TEMPLATE_LENGTH:
        # `s = f"{s}{s}"` doubles in every row of a loop.
        text = f"{text[:_MAX_TEMPLATE_LENGTH]}…{hash_text(text[_MAX_TEMPLATE_LENGTH:])}"
    return f'"{text}'


def _read_piece(node: SgNode, variables: Variables) -> str | None:
    """Return the text of one piece of a template, "" for its quotes; None if it is not known."""
    if node.kind() in ("string_start", "string_end"):
        return ""
    if node.kind() in ("string_content", "string_fragment"):
        return node.text()
    parts = nodes.list_parts(node)
    if node.kind() not in nodes.INTERPOLATIONS or len(parts) != 1:
        return None
    value = evaluate(parts[0], variables)
    is_single = value.known and value.rows is None and len(value.literals) == 1
    return value.literals[0][1:] if is_single and value.literals[0].startswith('"') else None


def _evaluate_member(node: SgNode, variables: Variables) -> Value:
    """Evaluate `row.want`: the field if it is known, or else all that `row` consists of."""
    receiver = nodes.get_receiver(node)
    owner = evaluate(receiver, variables) if receiver is not None else UNKNOWN
    return owner.fields.get(nodes.get_member(node), owner)


def _evaluate_subscript(node: SgNode, variables: Variables) -> Value:
    """Evaluate `row["want"]` or `row[0]`; without such a field it has all literals of both."""
    parts = nodes.list_parts(node)
    owner = evaluate(parts[0], variables)
    index = evaluate(parts[-1], variables) if len(parts) > 1 else UNKNOWN
    if len(index.literals) == 1:
        # The literals `"want` and `0.0` refer to the fields `want` and `0`.
        key = index.literals[0].removeprefix('"').removesuffix(".0")
        if key in owner.fields:
            return owner.fields[key]
    return combine((owner, index))


def _evaluate_call(node: SgNode, variables: Variables) -> Value:
    """Evaluate a call: one that makes or views a collection, makes a record, or any other.

    `price(10).round(2)` has the literals 10 and 2 and the calls `price` and `round`.
    """
    receiver, name = nodes.read_callee(node)
    is_method = receiver is not None
    values = [
        evaluate(nodes.get_value(argument), variables)
        for argument in nodes.list_arguments(node)
        # `pytest.param(10, 9, id="ten")`: these only name or mark a row.
        if nodes.read_keyword(argument) not in ("id", "ids", "marks")
    ]
    owner = Value()
    if receiver is not None and receiver.kind() != "type_identifier":
        owner = evaluate(receiver, variables)
    # `Object.keys(table)` has the mapping as its argument, `table.keys()` as its receiver.
    mapping = values[0] if values else owner
    part = _VIEWS.get(name) or ("0" if name in _KEY_ITERATORS and not is_method else "")
    if part and mapping.entries:
        return make_sequence([entry.fields.get(part, entry) for entry in mapping.entries])
    if values and (name in _ROW_CALLS or (name in _COLLECTION_CALLS and not is_method)):
        # `list([1, 2])` is the sequence itself, `param(1, 2)` makes one.
        return values[0] if len(values) == 1 and values[0].rows else make_sequence(values)
    if not is_method and (labels := variables.get(name, UNKNOWN).labels):
        return _evaluate_record(node, variables, labels)
    if name == "namedtuple" and len(values) > 1:
        # `namedtuple("Case", "total want")` or `namedtuple("Case", ["total", "want"])`
        return Value(known=False, labels=tuple(re.findall(r"\w+", " ".join(values[1].literals))))
    joined = combine((owner, *values))
    # `texts.map(slug)` calls `slug` as well.
    names = (part.text() for part in nodes.list_arguments(node) if part.kind() in nodes.NAMES)
    passed_functions = {argument for argument in names if argument not in variables}
    calls = joined.calls | ({name} - {""}) | passed_functions
    return Value(joined.literals, calls, known=False)


def _evaluate_record(call: SgNode, variables: Variables, labels: tuple[str, ...]) -> Value:
    """Evaluate `Case(10, want=9)`, where `Case` is a record class of the tests."""
    fields = {}
    for label, argument in zip(labels, nodes.list_arguments(call), strict=False):
        name = nodes.read_keyword(argument) or label
        fields[name] = evaluate(nodes.get_value(argument), variables)
    positions = {
        str(position): fields[label] for position, label in enumerate(labels) if label in fields
    }
    return combine(fields.values(), fields={**fields, **positions})


def _evaluate_mapping(node: SgNode, variables: Variables) -> Value:
    """Evaluate a `dict`, an object or a Rust struct; its keys count as literals too."""
    fields: dict[str, Value] = {}
    parts: list[Value] = []
    entries: list[Value] = []
    members = nodes.list_parts(node)
    if members and members[-1].kind() == "field_initializer_list":
        # Rust has the members in a nested list.
        members = nodes.list_parts(members[-1])
    for member in members:
        children = nodes.list_parts(member)
        if member.kind() in nodes.PAIRS and len(children) > 1:
            key, value = _evaluate_key(children[0]), evaluate(children[-1], variables)
            entries.append(make_sequence((key, value)))
            name = _read_name(key)
        elif member.kind() in _SHORTHANDS:
            name = member.text()
            value = variables.get(name, UNKNOWN)
        else:
            # `**defaults` or `...defaults`, but not the name of the struct.
            if member.kind() not in ("type_identifier", "scoped_type_identifier"):
                parts.append(evaluate(member, variables))
            continue
        fields[name] = value
        parts += [Value((f'"{name}',)), value]
    return combine(parts or (Value(("{}",)),), fields=fields, entries=tuple(entries))


def _evaluate_key(key: SgNode) -> Value:
    """Return a key as a literal; `total` in `{ total: 3 }` is the text "total"."""
    literal = nodes.read_literal(nodes.unwrap(key))
    return Value((f'"{key.text()}' if literal is None else literal,))


def _read_name(key: Value) -> str:
    """Return the field name of a key: `want` for the literal `"want`."""
    return key.literals[0].removeprefix('"')


def _evaluate_composite(node: SgNode, variables: Variables) -> Value:
    """Evaluate Go's `[]struct{in, want int}{{1, 2}}`, with the field names of the type."""
    body, kind = node.field("body"), node.field("type")
    if body is None:
        return UNKNOWN
    labels = tuple(
        name.text()
        for declared in ([] if kind is None else kind.find_all(kind="field_declaration"))
        for name in nodes.list_parts(declared)
        if name.kind() == "field_identifier"
    )
    return _evaluate_go_literal(body, variables, labels)


def _evaluate_go_literal(body: SgNode, variables: Variables, labels: tuple[str, ...]) -> Value:
    """Evaluate what stands in braces: `{1, 2}` is a sequence, `{in: 1, want: 2}` a mapping."""
    elements = nodes.list_parts(body)
    values = [_evaluate_go_element(element, variables, labels) for element in elements]
    if not any(element.kind() in nodes.PAIRS for element in elements):
        return make_sequence(values)
    keyed = [
        (_evaluate_key(nodes.list_parts(element)[0]), value)
        for element, value in zip(elements, values, strict=True)
        if nodes.list_parts(element)
    ]
    return combine(
        values,
        fields={_read_name(key): value for key, value in keyed},
        rows=tuple(values),
        entries=tuple(map(make_sequence, keyed)),
    )


def _evaluate_go_element(node: SgNode, variables: Variables, labels: tuple[str, ...]) -> Value:
    """Evaluate one element; a row `{1, 2}` without keys gets the field names of its type."""
    element = nodes.unwrap(nodes.list_parts(node)[-1] if node.kind() in nodes.PAIRS else node)
    if element.kind() != "literal_value":
        return evaluate(element, variables)
    row = _evaluate_go_literal(element, variables, labels)
    has_keys = any(part.kind() in nodes.PAIRS for part in nodes.list_parts(element))
    if not row.rows or has_keys:
        return row
    by_label = dict(zip(labels, row.rows, strict=False))
    return Value(row.literals, row.calls, row.known, {**row.fields, **by_label}, row.rows)


_EVALUATORS: dict[str, Callable[[SgNode, Variables], Value]] = {
    **dict.fromkeys(nodes.MEMBERS, _evaluate_member),
    **dict.fromkeys(nodes.SUBSCRIPTS, _evaluate_subscript),
    **dict.fromkeys(nodes.CALLS, _evaluate_call),
    **dict.fromkeys(nodes.MAPPINGS, _evaluate_mapping),
    "composite_literal": _evaluate_composite,
}
