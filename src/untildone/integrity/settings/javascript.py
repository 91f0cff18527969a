"""Object literals of a JavaScript or TypeScript configuration file, nested as they are written."""

import re
from collections.abc import Iterator

from ast_grep_py import SgNode

from untildone.syntax.parsing import parse_source

_LITERALS = frozenset(
    ("object", "array", "string", "template_string", "number", "true", "false", "null")
)
_DECLARES = ("lexical_declaration", "variable_declaration", "import_statement", "comment")
# Whoever does one of these may make anything of a literal.
_DOES = (
    *("assignment_expression", "augmented_assignment_expression", "statement_block"),
    *("if_statement", "for_in_statement", "update_expression", "ternary_expression"),
)


def parse_objects(text: str, spoken: str) -> list[object]:
    """Every outermost one, with the constants that stand in it."""
    top = parse_source(text, spoken)
    reader = _Reader(_constants(top, text))
    found = [(node, reader.value(node)) for node in _outermost(top)]
    places = {reader.constants[name].range().start.index for name in reader.used}
    return [value for node, value in found if node.range().start.index not in places]


def find_effects(text: str, spoken: str) -> list[str]:
    """Statements that do more than to declare and export literals."""
    statements = (node for node in parse_source(text, spoken).children() if node.is_named())
    return [re.sub(r"\s+", " ", node.text()) for node in statements if not _only_says(node)]


def _only_says(node: SgNode) -> bool:
    if node.kind() == "expression_statement":
        said = next((each for each in node.children() if each.is_named()), node)
        left = said.field("left") if said.kind() == "assignment_expression" else None
        right = said.field("right") if left and left.text() == "module.exports" else None
        return right is not None and not _does(right)
    return node.kind() in (*_DECLARES, "export_statement") and not _does(node)


def _does(node: SgNode) -> bool:
    return any(node.find(kind=kind) is not None for kind in _DOES)


def _constants(top: SgNode, text: str) -> dict[str, SgNode]:
    """Literals by the name they are declared with, if nothing reaches into them later."""
    found: dict[str, SgNode] = {}
    for node in top.find_all(kind="variable_declarator"):
        name, value = node.field("name"), node.field("value")
        above = node.parent()
        if name is None or value is None or value.kind() not in _LITERALS or above is None:
            continue
        reached = (
            rf"(?<![.\w]){re.escape(name.text())}\s*[.\[]|assign\(\s*{re.escape(name.text())}\b"
        )
        if above.text().startswith("const") and not re.search(reached, text.replace("...", " ")):
            found[name.text()] = value
    return found


def _outermost(node: SgNode) -> Iterator[SgNode]:
    for child in node.children():
        if child.kind() in ("object", "array"):
            yield child
        else:
            yield from _outermost(child)


class _Reader:
    def __init__(self, constants: dict[str, SgNode]) -> None:
        self.constants = constants
        self.used: set[str] = set()
        self.open: set[str] = set()

    def value(self, node: SgNode) -> object:
        match node.kind():
            case "object":
                return self._object(node)
            case "array":
                return self._array(node)
            case "number":
                return _number(node.text())
            case "true" | "false":
                return node.kind() == "true"
            case "null":
                return None
            case "string" | "template_string":
                return node.text()[1:-1]
            case "identifier" if node.text() in self.constants:
                return self._constant(node.text())
            case _:
                inner = [self.value(child) for child in _outermost(node)]
                return inner if inner else re.sub(r"\s+", " ", node.text())

    def _constant(self, name: str) -> object:
        if name in self.open:
            return name
        self.open.add(name)
        held = self.value(self.constants[name])
        self.open.discard(name)
        self.used.add(name)
        return held

    def _array(self, node: SgNode) -> list[object]:
        found: list[object] = []
        for child in node.children():
            if not child.is_named() or child.kind() == "comment":
                continue
            held = self._spread(child)
            found += held if isinstance(held, list) else [self.value(child)]
        return found

    def _spread(self, node: SgNode) -> object:
        """What `...name` or `name` alone stands for, if that is known."""
        name = node.text().removeprefix("...").strip()
        known = node.kind() in ("spread_element", "shorthand_property_identifier")
        return self._constant(name) if known and name in self.constants else None

    def _object(self, node: SgNode) -> dict[str, object]:
        found: dict[str, object] = {}
        for child in node.children():
            if child.kind() == "pair":
                key, value = child.field("key"), child.field("value")
                if key and value:
                    found[key.text().strip("'\"`[]")] = self.value(value)
            elif child.kind() in ("spread_element", "shorthand_property_identifier"):
                self._taken_in(child, found)
        return found

    def _taken_in(self, child: SgNode, found: dict[str, object]) -> None:
        held = self._spread(child)
        if child.kind() == "spread_element" and isinstance(held, dict):
            found.update(held)
        elif child.kind() != "spread_element" and child.text() in self.constants:
            found[child.text()] = held
        else:
            spread = found.setdefault("...", [])
            if isinstance(spread, list):
                spread.append(child.text())


def _number(text: str) -> float | str:
    try:
        return float(text.replace("_", ""))
    except ValueError:
        return text
