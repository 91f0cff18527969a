"""Keeps the variables of a test up to date: what an assignment, a call or a row of data binds.

After `total, want = 10, price(9)` the variable `total` has the literal 10, and `want` has the
literal 9 and the call `price`. After `cart.add(3)` the variable `cart` has the literal 3 as well.
"""

from collections.abc import Sequence

from ast_grep_py import SgNode

from untildone.integrity.tests.evaluation import evaluate_all
from untildone.integrity.tests.values import UNKNOWN, Value, Variables, combine, merge
from untildone.syntax import nodes
from untildone.words import words

# `total: int`, `total=10`, `total: int = 10`
_PYTHON_PARAMETERS = words("typed_parameter default_parameter typed_default_parameter")


def bind(pattern: SgNode, value: Value, variables: Variables) -> None:
    """Bind the names on the left of an assignment to the value or to its parts.

    The pattern may be a name, `a, b`, `{ total, want: w }`, Rust's `mut a` or `cart.total`.
    """
    pattern = nodes.unwrap(pattern)
    kind, parts = pattern.kind(), nodes.list_parts(pattern)
    if kind.startswith("shorthand_property_identifier"):
        # JavaScript's `{ total }` takes the field `total`.
        variables[pattern.text()] = value.fields.get(pattern.text(), value)
    elif kind in nodes.NAMES:
        variables[pattern.text()] = value
    elif kind in nodes.MEMBERS:
        _bind_member(pattern, value, variables)
    elif kind == "assignment_pattern":
        # JavaScript's `total = 0` inside of a pattern: a name and its default.
        bind(parts[0], value, variables)
    elif kind in ("mut_pattern", "reference_pattern", "ref_pattern"):
        # Rust's `mut total`, `&total` and `ref total`
        bind(parts[-1], value, variables)
    elif kind == "pair_pattern":
        # JavaScript's `want: w` takes the field `want`.
        bind(parts[-1], value.fields.get(parts[0].text(), value), variables)
    elif kind not in nodes.CLOSURES:
        for position, part in enumerate(parts):
            # An object has named fields, which the patterns inside of it look up.
            inner = value if kind == "object_pattern" else value.fields.get(str(position), value)
            bind(part, inner, variables)


def _bind_member(pattern: SgNode, value: Value, variables: Variables) -> None:
    """Bind `cart.total = 3`: a field of `cart`, and a part of what `cart` consists of."""
    receiver = nodes.get_receiver(pattern)
    if receiver is None or receiver.kind() not in nodes.NAMES:
        return
    owner = variables.get(receiver.text(), UNKNOWN)
    fields = {**owner.fields, nodes.get_member(pattern): value}
    if receiver.text() in ("self", "this"):
        # A test uses single fields of `self`, so the value does not become a part of it as well.
        owner = Value(owner.literals, owner.calls, owner.known, fields, owner.rows)
    else:
        owner = merge(owner, value, fields=fields)
    variables[receiver.text()] = owner


def bind_parameters(function: SgNode, arguments: list[Value], variables: Variables) -> None:
    """Bind the parameters of a function to the arguments of a call, by position.

    A row as the only argument fills several parameters: `each([[10, 9]])("…", (total, want) => …)`.
    """
    declared = function.field("parameters") or function.field("parameter")
    parts = [declared] if declared is not None else []
    if declared is not None and declared.kind() not in nodes.NAMES:
        parts = nodes.list_parts(declared)
    patterns = [
        pattern
        for part in parts
        for pattern in _list_patterns(part)
        # Rust's `#[case] total: i32` has the attribute as a part of its own.
        if pattern.kind() != "attribute_item" and pattern.text() not in ("self", "cls", "&self")
    ]
    if len(arguments) == 1 and arguments[0].rows and len(patterns) > 1:
        arguments = list(arguments[0].rows)
    for pattern, argument in zip(patterns, arguments, strict=False):
        bind(pattern, argument, variables)


def _list_patterns(parameter: SgNode) -> list[SgNode]:
    """Return the name or pattern of a parameter, without its type and default.

    Go declares several of one type at once: `total, want int`.
    """
    parts = nodes.list_parts(parameter)
    if parameter.kind() in _PYTHON_PARAMETERS:
        return parts[:1]
    if parameter.kind() == "parameter_declaration":
        return [part for part in parts if part.kind() == "identifier"] or [parameter]
    fields = (parameter.field(name) for name in ("pattern", "name", "left"))
    return [next((field for field in fields if field is not None), parameter)]


def bind_row(names: Sequence[str], row: Value) -> Variables:
    """Return the parameters of a table with the cells of one of its rows.

    A single parameter gets the row itself, or its cell if it is a row of one: `param(3)` is 3.
    """
    if len(names) == 1:
        return {names[0]: row.rows[0] if row.rows and len(row.rows) == 1 else row}
    return {name: row.fields.get(str(position), row) for position, name in enumerate(names)}


def record_change(call: SgNode, receiver: SgNode | None, variables: Variables) -> None:
    """Add the arguments of a call statement to its receiver: `cart.add(3)` puts 3 into `cart`."""
    arguments = nodes.list_arguments(call)
    plain = (argument for argument in arguments if argument.kind() not in nodes.CLOSURES)
    addition = combine(evaluate_all(plain, variables))
    if not addition.literals:
        return
    # Arguments may change as well: `fill(cart, 3)`.
    for target in (receiver, *arguments):
        name = target.text() if target is not None and target.kind() in nodes.NAMES else ""
        # In `fill(cart)` the addition is `cart` itself.
        if name in variables and variables[name].literals != addition.literals:
            variables[name] = merge(variables[name], addition)
