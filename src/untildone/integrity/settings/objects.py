"""Object literals of a JavaScript or TypeScript configuration file, nested as they are written."""

import re
from collections.abc import Iterator

from ast_grep_py import SgNode

from untildone.integrity.suppressions.syntax import root


def objects(text: str, spoken: str) -> list[object]:
    """Every outermost one: a configuration is put together of constants, calls and spreads."""
    return [_value(node) for node in _outermost(root(text, spoken))]


def _outermost(node: SgNode) -> Iterator[SgNode]:
    for child in node.children():
        if child.kind() in ("object", "array"):
            yield child
        else:
            yield from _outermost(child)


def _value(node: SgNode) -> object:
    match node.kind():
        case "object":
            return _object(node)
        case "array":
            return [
                _value(child)
                for child in node.children()
                if child.is_named() and child.kind() != "comment"
            ]
        case "number":
            return _number(node.text())
        case "true" | "false":
            return node.kind() == "true"
        case "null":
            return None
        case "string" | "template_string":
            return node.text()[1:-1]
        case _:
            inner = [_value(child) for child in _outermost(node)]
            return inner if inner else re.sub(r"\s+", " ", node.text())


def _object(node: SgNode) -> dict[str, object]:
    found: dict[str, object] = {}
    for child in node.children():
        if child.kind() == "pair":
            key, value = child.field("key"), child.field("value")
            if key and value:
                found[key.text().strip("'\"`[]")] = _value(value)
        elif child.kind() in ("spread_element", "shorthand_property_identifier"):
            found.setdefault("...", [])
            spread = found["..."]
            if isinstance(spread, list):
                spread.append(child.text())
    return found


def _number(text: str) -> float | str:
    try:
        return float(text.replace("_", ""))
    except ValueError:
        return text
