"""What an expression of a test consists of, as far as that shows without running it.

The value of `price(10, "EUR") + 1` has the literals 10, "EUR" and 1 and calls `price`. It is not
known, because the product decides what the call returns.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from untildone.worktree.limits import count_steps

# Without this limit a value can double with every row of a loop.
_MAX_MERGED_LITERALS = 256


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
_NO_FIELDS: Mapping[str, Value] = MappingProxyType({})


def combine(
    values: Iterable[Value],
    *,
    fields: Mapping[str, Value] = _NO_FIELDS,
    rows: tuple[Value, ...] | None = None,
    entries: tuple[Value, ...] = (),
) -> Value:
    """Return a value that consists of all of these."""
    parts = tuple(values)
    # Copying a literal takes a fraction of the work of reading one.
    count_steps(sum(len(part.literals) + len(part.calls) for part in parts) // 8)
    return Value(
        tuple(literal for part in parts for literal in part.literals),
        frozenset(call for part in parts for call in part.calls),
        all(part.known for part in parts),
        fields,
        rows,
        entries,
    )


def make_sequence(elements: Sequence[Value]) -> Value:
    """Return the value of a list or tuple; its fields are the positions."""
    return combine(
        elements or (Value(("[]",)),),
        fields={str(position): element for position, element in enumerate(elements)},
        rows=tuple(elements),
    )


def merge(value: Value, addition: Value, *, fields: Mapping[str, Value] | None = None) -> Value:
    """Add what a value got later; literals beyond the limit become one digest of them."""
    fields = value.fields if fields is None else fields
    merged = combine((value, addition), fields=fields, rows=value.rows)
    first, rest = (
        merged.literals[:_MAX_MERGED_LITERALS],
        merged.literals[_MAX_MERGED_LITERALS:],
    )
    literals = (*first, f'"…{hash_text(repr(rest))}') if rest else first
    return Value(literals, merged.calls, merged.known, merged.fields, merged.rows)


def hash_text(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
