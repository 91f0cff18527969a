"""Binds the names of a pattern to the parts of a value.

After `total, want = 10, price(9)` the variable `total` has the literal 10, and `want` has the
literal 9 and the call `price`.
"""

from ast_grep_py import SgNode

from untildone.integrity.tests.values import UNKNOWN, Value, Variables, merge
from untildone.syntax import nodes


def bind(pattern: SgNode, value: Value, variables: Variables) -> None:
    """Bind the names of a pattern to the parts of the value."""
    pattern = nodes.unwrap(pattern)
    kind = pattern.kind()
    if kind.startswith("shorthand_property_identifier"):
        variables[pattern.text()] = value.fields.get(pattern.text(), value)
        return
    if kind in nodes.NAMES:
        variables[pattern.text()] = value
        return
    if kind in nodes.MEMBERS:
        _bind_member(pattern, value, variables)
        return
    parts = nodes.list_parts(pattern) if kind not in nodes.CLOSURES else []
    if kind == "assignment_pattern":
        bind(parts[0], value, variables)
    elif kind in ("mut_pattern", "reference_pattern", "ref_pattern"):
        bind(parts[-1], value, variables)
    elif kind == "pair_pattern":
        bind(parts[-1], value.fields.get(parts[0].text(), value), variables)
    else:
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
        bound = Value(owner.literals, owner.calls, owner.known, fields, owner.rows)
    else:
        bound = merge(owner, value, fields=fields)
    variables[receiver.text()] = bound
