"""What an expression of a test consists of, as far as that shows without running it.

The value of `price(10, "EUR") + 1` has the literals 10, "EUR" and 1 and calls `price`. It is not
known, because the product decides what the call returns.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

from msgspec import Struct

from untildone.worktree.limits import count_steps

# How many literals `merge` keeps: without a limit a value can double with every row of a loop.
_MAX_MERGED = 256
# A loop over a longer table only runs with its first rows.
MAX_ROWS = 400


class Value(Struct, frozen=True):
    """The literals and calls of an expression, and its parts if it is a collection."""

    # Normalized: `"EUR` for a text (with an opening quote only), `10.0` for 10, `true`, `null`.
    literals: tuple[str, ...] = ()
    # Names of the called functions, without their receivers.
    calls: frozenset[str] = frozenset()
    # False if a call or an unbound name takes part, so that the value is not just its literals.
    known: bool = True
    # Parts that can be accessed: `row.want`, `row["want"]`, and by position `row[0]` ("0").
    fields: Mapping[str, "Value"] = {}
    # The elements of a sequence, over which a loop iterates; None if it is no sequence.
    rows: tuple["Value", ...] | None = None
    # The entries of a mapping, each a sequence of key and value.
    entries: tuple["Value", ...] = ()
    # Only of a record class such as `Case = namedtuple("Case", "total want")`: its field names.
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
    """Return a value with the literals and calls of all values; known if all of them are."""
    parts = tuple(values)
    # The reading of a file stops after a number of steps; copying a literal counts as 1/8 of one.
    count_steps(sum(len(part.literals) + len(part.calls) for part in parts) // 8)
    return Value(
        tuple(chain.from_iterable([part.literals for part in parts])),
        frozenset().union(*[part.calls for part in parts]),
        all(part.known for part in parts),
        fields,
        rows,
        entries,
    )


def make_sequence(elements: Sequence[Value]) -> Value:
    """Return the value of a list or tuple; its fields are the positions."""
    return combine(
        # An empty list is a literal too: `assert f() == []` has an expected value.
        elements or (Value(("[]",)),),
        fields={str(position): element for position, element in enumerate(elements)},
        rows=tuple(elements),
    )


def merge(value: Value, addition: Value, *, fields: Mapping[str, Value] | None = None) -> Value:
    """Return the value after something was added to it, as `cart.add(3)` adds 3 to `cart`.

    Literals beyond the limit are replaced by one hash of them, so that a change still shows.
    """
    fields = value.fields if fields is None else fields
    merged = combine((value, addition), fields=fields, rows=value.rows)
    literals, rest = merged.literals[:_MAX_MERGED], merged.literals[_MAX_MERGED:]
    literals += (f'"…{hash_text(repr(rest))}',) if rest else ()
    return Value(literals, merged.calls, merged.known, merged.fields, merged.rows)


def list_rows(value: Value) -> list[Value]:
    """Return the rows that a loop over the value runs with; what is no sequence is one row."""
    if value.rows is None:
        return [Value(value.literals, value.calls, value.known, value.fields)]
    return list(value.rows[:MAX_ROWS])


def hash_text(text: str) -> str:
    """Return a digest that stands for a text too long to keep."""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
