"""Object literals of a JavaScript or TypeScript configuration file.

    const files = ["src"];
    export default { files, rules: { semi: "error" } };

is read as `[{"files": ["src"], "rules": {"semi": "error"}}]`. Nothing is run.
"""

import re
from collections.abc import Iterator

from ast_grep_py import SgNode

from untildone.syntax.parsing import parse_source

_LITERALS = frozenset(
    ("object", "array", "string", "template_string", "number", "true", "false", "null")
)
_DECLARATIONS = (
    *("lexical_declaration", "variable_declaration", "import_statement", "comment"),
    "export_statement",
)
# Constants that use each other twice grow exponentially.
_MAX_CONSTANTS_READ = 10_000
# Code with one of these may change a literal in any way.
_EFFECTS = (
    *("assignment_expression", "augmented_assignment_expression", "statement_block"),
    *("if_statement", "for_in_statement", "update_expression", "ternary_expression"),
)


def parse_objects(text: str, language: str) -> list[object]:
    """Return the outermost objects and arrays, with the values of the constants in them."""
    root = parse_source(text, language)
    reader = _Reader(_find_constants(root, text))
    found = [(node, reader.read(node)) for node in _find_outermost(root)]
    # The literal of a constant counts where the constant is used.
    used = {reader.constants[name].range().start.index for name in reader.used}
    return [value for node, value in found if node.range().start.index not in used]


def find_effects(text: str, language: str) -> list[str]:
    """Return the statements that do more than declare and export literals."""
    statements = (node for node in parse_source(text, language).children() if node.is_named())
    return [re.sub(r"\s+", " ", node.text()) for node in statements if not _only_declares(node)]


def _only_declares(node: SgNode) -> bool:
    """Say whether a statement declares, imports or exports, without other code in it."""
    if node.kind() == "expression_statement":
        expression = next((child for child in node.children() if child.is_named()), node)
        left = expression.field("left") if expression.kind() == "assignment_expression" else None
        right = expression.field("right") if left and left.text() == "module.exports" else None
        return right is not None and not _has_effect(right)
    return node.kind() in _DECLARATIONS and not _has_effect(node)


def _has_effect(node: SgNode) -> bool:
    return any(node.find(kind=kind) is not None for kind in _EFFECTS)


def _find_constants(root: SgNode, text: str) -> dict[str, SgNode]:
    """Return the literals of `const` by name, if no code reaches into them as `name.key = 1`."""
    found: dict[str, SgNode] = {}
    for node in root.find_all(kind="variable_declarator"):
        name, value = node.field("name"), node.field("value")
        above = node.parent()
        if name is None or value is None or value.kind() not in _LITERALS or above is None:
            continue
        # `name.key = 1`, `name[0]`, `Object.assign(name, …)`; `...name.key` is a use, too.
        uses = rf"(?<![.\w]){re.escape(name.text())}\s*[.\[]|assign\(\s*{re.escape(name.text())}\b"
        if above.text().startswith("const") and not re.search(uses, text.replace("...", " ")):
            found[name.text()] = value
    return found


def _find_outermost(node: SgNode) -> Iterator[SgNode]:
    """Yield the objects and arrays below the node that are in no other."""
    for child in node.children():
        if child.kind() in ("object", "array"):
            yield child
        else:
            yield from _find_outermost(child)


class _Reader:
    """Turns literals into values."""

    def __init__(self, constants: dict[str, SgNode]) -> None:
        self.constants = constants
        self.used: set[str] = set()
        # The constants being read: one that holds itself stays a name.
        self._in_progress: set[str] = set()
        self._constants_read = 0

    def read(self, node: SgNode) -> object:
        """Return the value of a literal or constant; of other code its objects, else its text."""
        match node.kind():
            case "object":
                return self._read_object(node)
            case "array":
                return self._read_array(node)
            case "number":
                return _parse_number(node.text())
            case "true" | "false":
                return node.kind() == "true"
            case "null":
                return None
            case "string" | "template_string":
                return node.text()[1:-1]
            case "identifier" if node.text() in self.constants:
                return self._read_constant(node.text())
            case _:
                inner = [self.read(child) for child in _find_outermost(node)]
                return inner if inner else re.sub(r"\s+", " ", node.text())

    def _read_constant(self, name: str) -> object:
        if name in self._in_progress:
            return name
        self._constants_read += 1
        if self._constants_read > _MAX_CONSTANTS_READ:
            raise ValueError("constants that hold each other too often")
        self._in_progress.add(name)
        value = self.read(self.constants[name])
        self._in_progress.discard(name)
        self.used.add(name)
        return value

    def _read_array(self, node: SgNode) -> list[object]:
        found: list[object] = []
        for child in node.children():
            if not child.is_named() or child.kind() == "comment":
                continue
            value = self._read_spread(child)
            found += value if isinstance(value, list) else [self.read(child)]
        return found

    def _read_spread(self, node: SgNode) -> object:
        """Return the value of the constant in `...name`; None if it is not known."""
        name = node.text().removeprefix("...").strip()
        is_known = node.kind() == "spread_element" and name in self.constants
        return self._read_constant(name) if is_known else None

    def _read_object(self, node: SgNode) -> dict[str, object]:
        """Return the object; unknown spreads such as `...preset` are listed under `...`."""
        found: dict[str, object] = {}
        unknown: list[str] = []
        for child in node.children():
            kind, text = child.kind(), child.text()
            if kind == "pair":
                key, value = child.field("key"), child.field("value")
                if key and value:
                    found[key.text().strip("'\"`[]")] = self.read(value)
            elif kind == "shorthand_property_identifier" and text in self.constants:
                found[text] = self._read_constant(text)
            elif isinstance(spread := self._read_spread(child), dict):
                unknown += spread.pop("...", [])
                found.update(spread)
            elif kind in ("spread_element", "shorthand_property_identifier"):
                unknown.append(text)
        return {**found, "...": unknown} if unknown else found


def _parse_number(text: str) -> float | str:
    try:
        return float(text.replace("_", ""))
    except ValueError:
        return text
