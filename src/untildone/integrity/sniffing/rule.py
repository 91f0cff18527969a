"""One rule over syntax: which nodes, with what text, standing where."""

from msgspec import Struct


class Rule(Struct, frozen=True, kw_only=True):
    """Patterns are searched in the text of the node, of the file, or of what the node is in."""

    because: str
    kinds: tuple[str, ...]
    text: str
    file: str = ""
    # A path for which this says nothing.
    unless: str = ""
    # Kinds it does not stand in: a function runs only when somebody calls it.
    outside: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    within: str = ""
    # As `within`, but no further around than a function of some lines goes.
    near: str = ""
    # As `within`, but then it is fine.
    apart: str = ""
    # What the item that an attribute belongs to must not be.
    beside: str = ""
