"""The named functions and values of a source text, and where their bodies stand in it.

Of `def fare(age): return 12` in Python it is the function `fare` with the body `return 12`, of
`const RATE = 3` in JavaScript the value `RATE` with the text `3`.
"""

from collections import Counter
from collections.abc import Iterator

from ast_grep_py import SgNode
from msgspec import Struct
from msgspec.structs import replace

from untildone.syntax.languages import language_of_tests
from untildone.syntax.nodes import CLOSURES, FUNCTIONS
from untildone.syntax.parsing import parse_source
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.limits import count_steps

_CONTAINERS = words("""
    class_definition class_declaration abstract_class_declaration class mod_item trait_item
    enum_declaration interface_declaration record_declaration
""")
# A node that gives a name to a value, and the fields that hold the two.
_NAMED_VALUES = {
    "assignment": ("left", "right"),
    "assignment_expression": ("left", "right"),
    "variable_declarator": ("name", "value"),
    "pair": ("key", "value"),
    "field_definition": ("property", "value"),
    "public_field_definition": ("name", "value"),
    "const_item": ("name", "value"),
    "static_item": ("name", "value"),
    "const_spec": ("name", "value"),
    "var_spec": ("name", "value"),
}


class Definition(Struct, frozen=True, kw_only=True):
    """A named function or value; `start` and `end` are the positions of `body` in the text.

    Of several of one name the second is called `name#2`.
    """

    name: str
    is_function: bool
    start: int
    end: int
    body: str
    # Whether the body is a single expression, as in `x => x + 1`.
    is_expression: bool = False
    # The function from its first word up to its body, with the type that it returns.
    header: str = ""
    return_type: str = ""


def list_definitions(text: str, language: str) -> tuple[Definition, ...]:
    """Return what the text defines outside of functions, in its order."""
    seen: Counter[str] = Counter()
    found = []
    for definition in _walk(parse_source(text, language), ""):
        seen[definition.name] += 1
        number = seen[definition.name]
        name = definition.name if number == 1 else f"{definition.name}#{number}"
        found.append(replace(definition, name=name))
    return tuple(found)


def read_definitions(tree: Tree, path: str) -> tuple[Definition, ...]:
    """Return the definitions of a file whose language is understood. Use as a tree's fact."""
    language = language_of_tests(path)
    return list_definitions(tree.text(path), language) if language else ()


def _walk(root: SgNode, prefix: str) -> Iterator[Definition]:
    """Yield the definitions below a node; `prefix` is the name of what it belongs to."""
    pending = [(child, prefix) for child in reversed(root.children())]
    while pending:
        node, outer = pending.pop()
        kind = node.kind()
        count_steps()
        if kind in FUNCTIONS or kind in CLOSURES:
            # A function without a name is part of a statement that runs at once.
            yield from _read_function(node, _join(_find_owner(node) or outer, _get_name(node)))
        elif kind in _NAMED_VALUES:
            name, value = (node.field(field) for field in _NAMED_VALUES[kind])
            if name is None or value is None:
                continue
            full_name = _join(outer, name.text())
            if _holds_functions(value):
                pending += [(child, full_name) for child in reversed(value.children())]
            else:
                yield from _read_value(value, full_name)
        else:
            inner = _join(outer, _get_container_name(node))
            pending += [(child, inner) for child in reversed(node.children())]


def _holds_functions(value: SgNode) -> bool:
    """Say whether the value is an object with methods, such as the exports of a module."""
    if value.kind() != "object":
        return False
    members = [member.field("value") or member for member in value.children()]
    return any(member.kind() in FUNCTIONS | CLOSURES for member in members)


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix and name else name or prefix


def _get_name(node: SgNode) -> str:
    name = node.field("name")
    return "" if name is None else name.text()


def _get_container_name(node: SgNode) -> str:
    """Return the name of a class, module or `impl`; empty if the node is none of them."""
    if node.kind() == "impl_item":
        type_, trait = node.field("type"), node.field("trait")
        names = (part.text() for part in (trait, type_) if part is not None)
        return " for ".join(names)
    return _get_name(node) if node.kind() in _CONTAINERS else ""


def _find_owner(node: SgNode) -> str:
    """Return `Cart` of the Go method `func (c *Cart) Total() int`; empty for others."""
    receiver = node.field("receiver")
    return "" if receiver is None else receiver.text().strip("()").split()[-1].lstrip("*")


def _read_function(node: SgNode, name: str) -> Iterator[Definition]:
    body = node.field("body")
    if body is None or not name:
        return
    place, whole = body.range(), node.range()
    text = node.text()
    result = node.field("result") or node.field("return_type") or node.field("type")
    yield Definition(
        name=name,
        is_function=True,
        start=place.start.index,
        end=place.end.index,
        body=body.text(),
        is_expression=node.kind() in CLOSURES and not body.text().startswith("{"),
        header=text[: place.start.index - whole.start.index],
        return_type="" if result is None else result.text(),
    )


def _read_value(value: SgNode, name: str) -> Iterator[Definition]:
    """Yield a function that a name is given to, or any other value."""
    if value.kind() in CLOSURES or value.kind() in FUNCTIONS:
        yield from _read_function(value, name)
        return
    place = value.range()
    yield Definition(
        name=name,
        is_function=False,
        start=place.start.index,
        end=place.end.index,
        body=value.text(),
    )
