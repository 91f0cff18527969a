"""Types that compare fewer of their fields than at the start, where all of them were."""

import ast
import re
from collections.abc import Iterator, Mapping

from ast_grep_py import SgNode

from untildone.syntax.parsing import parse_source

FIELD_LANGUAGES = frozenset(("python", "rust"))
Fields = Mapping[str, frozenset[str]]
_DERIVING = frozenset(("dataclass", "define", "frozen", "attrs"))
_ALL = frozenset(("astuple", "asdict", "__dict__", "vars", "fields"))


def find_ignored_fields(old: Fields, text: str, spoken: str) -> Iterator[tuple[str, str]]:
    """Name of the type, and a field of the start that says nothing any more."""
    found = _chosen_in_python(text) if spoken == "python" else _chosen_in_rust(text)
    for name, out in found:
        for field in sorted(old.get(name, frozenset()) & out):
            yield name, field


def read_compared_fields(text: str, spoken: str) -> Fields:
    """Types whose equality is made of all their fields."""
    if spoken == "python":
        return {
            each.name: frozenset(_fields(each)).difference(_left_out(each))
            for each in _classes(text)
        }
    structs = parse_source(text, "rust").find_all(kind="struct_item")
    return dict(_struct(each) for each in structs if _derives_equality(each))


def _classes(text: str) -> list[ast.ClassDef]:
    """Only those whose equality is made for them."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    classes = (node for node in nodes if isinstance(node, ast.ClassDef))
    return [each for each in classes if any(map(_derives, each.decorator_list))]


def _derives(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return getattr(called, "attr", getattr(called, "id", "")) in _DERIVING


def _fields(made: ast.ClassDef) -> Iterator[str]:
    for node in made.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _left_out(made: ast.ClassDef) -> Iterator[str]:
    own = next((each for each in made.body if getattr(each, "name", "") == "__eq__"), None)
    if own is not None:
        words = {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(own)}
        yield from () if words & _ALL else set(_fields(made)) - words
        return
    for node in made.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call(keywords=given)):
                if any(each.arg in ("compare", "eq") and _is_false(each.value) for each in given):
                    yield name
            case _:
                continue


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _chosen_in_python(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    return ((each.name, frozenset(_left_out(each))) for each in _classes(text))


def _chosen_in_rust(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    top = parse_source(text, "rust")
    fields = dict(map(_struct, top.find_all(kind="struct_item")))
    for node in top.find_all(kind="impl_item"):
        trait, of = node.field("trait"), node.field("type")
        if trait is not None and of is not None and trait.text().startswith("PartialEq"):
            words = re.findall(r"\w+", node.text())
            yield of.text(), fields.get(of.text(), frozenset()).difference(words)


def _struct(node: SgNode) -> tuple[str, frozenset[str]]:
    declared = (node, *node.find_all(kind="field_declaration"))
    first, *rest = (name.text() for each in declared if (name := each.field("name")) is not None)
    return first, frozenset(rest)


def _derives_equality(struct: SgNode) -> bool:
    above = struct.prev()
    while above is not None and above.kind() in ("attribute_item", "line_comment"):
        if "derive" in above.text() and "PartialEq" in above.text():
            return True
        above = above.prev()
    return False
