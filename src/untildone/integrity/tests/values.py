"""Evaluates expressions of tests to the literals and calls that they consist of."""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping

from ast_grep_py import SgNode
from msgspec import Struct

from untildone.syntax.nodes import (
    CALLS,
    CLOSURES,
    HOLES,
    MAPPINGS,
    MEMBERS,
    NAMES,
    PAIRS,
    SEQUENCES,
    STRINGS,
    SUBSCRIPTS,
    get_member,
    get_receiver,
    get_value,
    list_arguments,
    list_parts,
    read_callee,
    read_literal,
    unwrap,
)
from untildone.worktree.limits import count_steps


class Value(Struct, frozen=True):
    """`known` is true if the value consists of literals only; `rows` are a sequence's elements.

    `entries` are the key-value pairs of a mapping; `labels` the field names of a record class.
    """

    literals: tuple[str, ...] = ()
    calls: frozenset[str] = frozenset()
    known: bool = True
    fields: Mapping[str, "Value"] = {}
    rows: tuple["Value", ...] | None = None
    entries: tuple["Value", ...] = ()
    labels: tuple[str, ...] = ()


Variables = dict[str, Value]
UNKNOWN = Value(known=False)
# Calls that only wrap the values of a row.
_ROW_CALLS = frozenset(("param", "of", "arguments", "Array", "freeze"))
# Calls that do the same, unless they are methods.
_COLLECTION_CALLS = frozenset(("tuple", "list", "set", "dict"))
# Without these limits a value can double with every row of a loop.
_MAX_MERGED_LITERALS = 256
_MAX_TEMPLATE_LENGTH = 10_000


def combine(values: Iterable[Value]) -> Value:
    every = tuple(values)
    # Copying a literal takes a fraction of the work of reading one.
    count_steps(sum(len(value.literals) + len(value.calls) for value in every) // 8)
    return Value(
        tuple(each for value in every for each in value.literals),
        frozenset(each for value in every for each in value.calls),
        all(value.known for value in every),
    )


def merge_bounded(old: Value, given: Value) -> Value:
    """Combine both; literals beyond the limit become one digest, which keeps values comparable."""
    whole = combine((old, given))
    literals = whole.literals
    if len(literals) > _MAX_MERGED_LITERALS:
        literals = (
            *literals[:_MAX_MERGED_LITERALS],
            f'"…{_hash(repr(literals[_MAX_MERGED_LITERALS:]))}',
        )
    return Value(literals, whole.calls, whole.known, old.fields, old.rows)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def evaluate(node: SgNode, variables: Variables) -> Value:
    node = unwrap(node)
    written = read_literal(node)
    if written is not None:
        return Value((written,))
    kind = node.kind()
    if kind in NAMES:
        return variables.get(node.text(), UNKNOWN)
    if kind in MEMBERS:
        return _evaluate_member(node, variables)
    if kind in SUBSCRIPTS:
        return _evaluate_subscript(node, variables)
    if kind in CALLS:
        return _evaluate_call(node, variables)
    if kind in STRINGS and (text := _fill_template(node, variables)):
        return Value((text,))
    if kind in SEQUENCES:
        return make_sequence([evaluate(each, variables) for each in _list_elements(node)])
    if kind in MAPPINGS:
        return _evaluate_mapping(node, variables)
    if kind == "composite_literal":
        return _evaluate_composite(node, variables)
    return combine(
        evaluate(each, variables)
        for each in list_parts(node)
        if each.kind() not in _VALUELESS_KINDS
    )


_VALUELESS_KINDS = frozenset(
    (
        *("parameters", "formal_parameters", "parameter_list", "type", "type_annotation"),
        *("type_identifier", "type_arguments", "lambda_parameters", "closure_parameters"),
    )
)


def _fill_template(node: SgNode, variables: Variables) -> str:
    """Return the text of `f"{name}.txt"`, or "" if a name in it is unknown."""
    pieces = [
        _read_piece(each, variables) for each in list_parts(node) if each.kind() not in _QUOTES
    ]
    known = [each for each in pieces if each is not None]
    text = "".join(known)
    if len(text) > _MAX_TEMPLATE_LENGTH:
        # `s = f"{s}{s}"` doubles in every row of a loop.
        text = f"{text[:_MAX_TEMPLATE_LENGTH]}…{_hash(text[_MAX_TEMPLATE_LENGTH:])}"
    return f'"{text}' if len(known) == len(pieces) else ""


_QUOTES = frozenset(("string_start", "string_end"))


def _read_piece(node: SgNode, variables: Variables) -> str | None:
    if node.kind() in ("string_content", "string_fragment"):
        return node.text()
    if node.kind() not in HOLES or len(list_parts(node)) != 1:
        return None
    held = evaluate(list_parts(node)[0], variables)
    plain = held.known and held.rows is None and len(held.literals) == 1
    return held.literals[0][1:] if plain and held.literals[0].startswith('"') else None


def make_sequence(elements: list[Value]) -> Value:
    joined = combine(elements) if elements else Value(("[]",))
    positions = {str(place): each for place, each in enumerate(elements)}
    return Value(joined.literals, joined.calls, joined.known, positions, tuple(elements))


def _list_elements(node: SgNode) -> list[SgNode]:
    return [
        each for each in list_parts(node) if each.kind() not in ("slice_type", "type_identifier")
    ]


def _evaluate_member(node: SgNode, variables: Variables) -> Value:
    held = get_receiver(node)
    owner = evaluate(held, variables) if held is not None else UNKNOWN
    return owner.fields.get(get_member(node), owner)


def _evaluate_subscript(node: SgNode, variables: Variables) -> Value:
    parts = list_parts(node)
    owner = evaluate(parts[0], variables)
    index = evaluate(parts[-1], variables) if len(parts) > 1 else UNKNOWN
    if len(index.literals) == 1 and owner.fields:
        key = index.literals[0].removeprefix('"').removesuffix(".0")
        if key in owner.fields:
            return owner.fields[key]
    return combine((owner, index))


def _evaluate_call(node: SgNode, variables: Variables) -> Value:
    held, name = read_callee(node)
    given = [
        evaluate(get_value(each), variables) for each in list_arguments(node) if not _is_label(each)
    ]
    owner = (
        evaluate(held, variables)
        if held is not None and held.kind() != "type_identifier"
        else Value()
    )
    mapping = given[0] if given else owner
    if name in _VIEWS and mapping.entries:
        return _VIEWS[name](mapping)
    if name in _KEY_ITERATORS and held is None and mapping.entries:
        return _VIEWS["keys"](mapping)
    if given and (name in _ROW_CALLS or (name in _COLLECTION_CALLS and held is None)):
        return given[0] if len(given) == 1 and given[0].rows else make_sequence(given)
    if held is None and (labels := variables.get(name, UNKNOWN).labels):
        return _evaluate_record(node, variables, labels)
    if name == "namedtuple" and len(given) > 1:
        return Value(known=False, labels=_split_words(given[1]))
    joined = combine((owner, *given))
    called = {name} if name else frozenset()
    return Value(
        joined.literals,
        joined.calls | called | _list_passed_functions(node, variables),
        known=False,
    )


def _evaluate_record(call: SgNode, variables: Variables, labels: tuple[str, ...]) -> Value:
    """Evaluate `Case(10, want=9)`, where `Case` is a record class of the tests."""
    fields = {}
    for label, each in zip(labels, list_arguments(call), strict=False):
        keyed = each.kind() == "keyword_argument"
        fields[list_parts(each)[0].text() if keyed else label] = evaluate(
            get_value(each), variables
        )
    joined = combine(fields.values())
    places = {str(at): fields[label] for at, label in enumerate(labels) if label in fields}
    return Value(joined.literals, joined.calls, joined.known, {**fields, **places})


def _split_words(held: Value) -> tuple[str, ...]:
    """Split `"total want"`, or a list of names."""
    return tuple(re.findall(r"\w+", " ".join(held.literals)))


# `table.items()` in Python, `Object.entries(table)` in JavaScript
_VIEWS: dict[str, Callable[[Value], Value]] = {
    **dict.fromkeys(("items", "entries"), lambda held: make_sequence(list(held.entries))),
    "keys": lambda held: make_sequence([each.fields["0"] for each in held.entries]),
    "values": lambda held: make_sequence([each.fields["1"] for each in held.entries]),
}


# `sorted(table)` iterates over the keys of a mapping.
_KEY_ITERATORS = frozenset(("sorted", "list", "tuple", "set"))


def _list_passed_functions(call: SgNode, variables: Variables) -> frozenset[str]:
    """Return functions that are passed as arguments, as in `texts.map(slug)`."""
    given = (each for each in list_arguments(call) if each.kind() in NAMES)
    return frozenset(each.text() for each in given if each.text() not in variables)


def _is_label(argument: SgNode) -> bool:
    return argument.kind() == "keyword_argument" and list_parts(argument)[0].text() in (
        "id",
        "ids",
        "marks",
    )


def _list_members(node: SgNode) -> list[SgNode]:
    """Return the members of a mapping; Rust has them in a nested list."""
    parts = list_parts(node)
    last = parts[-1:] if parts and parts[-1].kind() == "field_initializer_list" else []
    return list_parts(last[0]) if last else parts


def _evaluate_mapping(node: SgNode, variables: Variables) -> Value:
    fields: dict[str, Value] = {}
    parts: list[Value] = []
    entries: list[Value] = []
    for each in _list_members(node):
        if each.kind() in PAIRS and len(list_parts(each)) > 1:
            key, held = list_parts(each)[0], evaluate(list_parts(each)[-1], variables)
            name = _read_key(key)
            fields[name] = held
            parts += [Value((f'"{name}',)), held]
            entries.append(make_sequence([_evaluate_key(key), held]))
        elif each.kind() in ("shorthand_property_identifier", "shorthand_field_initializer"):
            fields[each.text()] = variables.get(each.text(), UNKNOWN)
            parts += [Value((f'"{each.text()}',)), fields[each.text()]]
        elif each.kind() not in ("type_identifier", "scoped_type_identifier"):
            parts.append(evaluate(each, variables))
    joined = combine(parts) if parts else Value(("{}",))
    return Value(joined.literals, joined.calls, joined.known, fields, None, tuple(entries))


def _evaluate_key(key: SgNode) -> Value:
    written = read_literal(unwrap(key))
    return Value((f'"{key.text()}' if written is None else written,))


def _read_key(node: SgNode) -> str:
    written = read_literal(unwrap(node))
    return node.text() if written is None else written.removeprefix('"')


def _evaluate_composite(node: SgNode, variables: Variables) -> Value:
    """Evaluate Go's `[]struct{in, want int}{{1, 2}}`, with the field names of the type."""
    body = node.field("body")
    if body is None:
        return UNKNOWN
    kind = node.field("type")
    labels = tuple(
        name.text()
        for declared in ([] if kind is None else kind.find_all(kind="field_declaration"))
        for name in list_parts(declared)
        if name.kind() == "field_identifier"
    )
    return _evaluate_go_literal(body, variables, labels)


def _evaluate_go_literal(body: SgNode, variables: Variables, labels: tuple[str, ...]) -> Value:
    parts = [_evaluate_go_element(each, variables, labels) for each in list_parts(body)]
    if any(each.kind() in PAIRS for each in list_parts(body)):
        keyed = {
            _read_key(list_parts(each)[0]): part
            for each, part in zip(list_parts(body), parts, strict=True)
            if list_parts(each)
        }
        entries = tuple(
            make_sequence([_evaluate_key(list_parts(each)[0]), part])
            for each, part in zip(list_parts(body), parts, strict=True)
            if list_parts(each)
        )
        joined = combine(parts)
        return Value(joined.literals, joined.calls, joined.known, keyed, tuple(parts), entries)
    return make_sequence(parts)


def _evaluate_go_element(node: SgNode, variables: Variables, labels: tuple[str, ...]) -> Value:
    held = unwrap(list_parts(node)[-1] if node.kind() in PAIRS else node)
    if held.kind() != "literal_value":
        return evaluate(held, variables)
    row = _evaluate_go_literal(held, variables, labels)
    if row.rows and not any(each.kind() in PAIRS for each in list_parts(held)):
        named = dict(zip(labels, row.rows, strict=False))
        return Value(row.literals, row.calls, row.known, {**row.fields, **named}, row.rows)
    return row


def bind(pattern: SgNode, held: Value, variables: Variables) -> None:
    """Bind the names of a pattern to the parts of the value."""
    pattern = unwrap(pattern)
    if pattern.kind() in NAMES or pattern.kind() == "shorthand_property_identifier_pattern":
        variables[pattern.text()] = (
            held.fields.get(pattern.text(), held) if "short" in pattern.kind() else held
        )
    elif pattern.kind() in (
        "mut_pattern",
        "reference_pattern",
        "ref_pattern",
        "assignment_pattern",
    ):
        bind(
            list_parts(pattern)[0 if pattern.kind() == "assignment_pattern" else -1],
            held,
            variables,
        )
    elif pattern.kind() == "pair_pattern":
        key, target = list_parts(pattern)[0], list_parts(pattern)[-1]
        bind(target, held.fields.get(key.text(), held), variables)
    elif pattern.kind() == "object_pattern":
        for each in list_parts(pattern):
            bind(each, held, variables)
    elif pattern.kind() in MEMBERS:
        _bind_member(pattern, held, variables)
    else:
        parts = list_parts(pattern) if pattern.kind() not in CLOSURES else []
        for place, each in enumerate(parts):
            bind(each, held.fields.get(str(place), held), variables)


def _bind_member(pattern: SgNode, held: Value, variables: Variables) -> None:
    root = get_receiver(pattern)
    if root is None or root.kind() not in NAMES:
        return
    owner = variables.get(root.text(), UNKNOWN)
    fields = {**owner.fields, get_member(pattern): held}
    whole = owner if root.text() in ("self", "this") else merge_bounded(owner, held)
    variables[root.text()] = Value(whole.literals, whole.calls, whole.known, fields, owner.rows)
