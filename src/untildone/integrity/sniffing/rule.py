"""A rule over syntax: nodes of some kinds, by their text and by where they stand."""

from msgspec import Struct


class Rule(Struct, frozen=True, kw_only=True):
    """`text` is searched in the node and `file` in the whole file; the other patterns below."""

    because: str
    kinds: tuple[str, ...]
    text: str
    file: str = ""
    # Paths that the rule does not apply to.
    unless: str = ""
    # Kinds of nodes that must not be around it: a function runs only when it is called.
    outside: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    # Searched in the nodes around it.
    within: str = ""
    # As `within`, but only in nodes of a short function's size.
    near: str = ""
    # As `within`; where it is found the rule does not apply.
    apart: str = ""
    # Searched in the item that an attribute belongs to; where it is found the rule is off.
    beside: str = ""
