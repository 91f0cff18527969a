"""The fields that a type compares when two of its values are compared."""

import ast
import re
from collections.abc import Iterator, Mapping

from ast_grep_py import SgNode

from untildone.syntax.languages import language_of
from untildone.syntax.parsing import parse_file, parse_python_file
from untildone.worktree.contents import Tree

Fields = Mapping[str, frozenset[str]]
_DERIVING = frozenset(("dataclass", "define", "frozen", "attrs"))
_ALL = frozenset(("astuple", "asdict", "__dict__", "vars", "fields"))


def find_ignored_fields(before: Fields, tree: Tree, path: str) -> Iterator[tuple[str, str]]:
    """Yield types with a field that `before` has and that the type now ignores."""
    language = language_of(path)
    if language == "python":
        found = _read_ignored_in_python(tree, path)
    else:
        found = _read_ignored_in_rust(tree, path) if language == "rust" else iter(())
    for name, ignored in found:
        for field in sorted(before.get(name, frozenset()) & ignored):
            yield name, field


def read_compared_fields(tree: Tree, path: str) -> dict[str, frozenset[str]]:
    """Return the compared fields of types with a derived equality. Use as a tree's fact."""
    language = language_of(path)
    if language == "python":
        return {
            each.name: frozenset(_list_fields(each)).difference(_list_ignored(each))
            for each in tree.fact(list_dataclasses, path)
        }
    root = tree.fact(parse_file, path) if language == "rust" else None
    structs = root.find_all(kind="struct_item") if root else ()
    return dict(_read_struct(each) for each in structs if _derives_equality(each))


def list_dataclasses(tree: Tree, path: str) -> list[ast.ClassDef]:
    """Return the classes whose equality a decorator makes. Use as a tree's fact."""
    module = tree.fact(parse_python_file, path)
    nodes = ast.walk(module) if module else ()
    classes = (node for node in nodes if isinstance(node, ast.ClassDef))
    return [each for each in classes if any(map(_derives, each.decorator_list))]


def _derives(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return getattr(called, "attr", getattr(called, "id", "")) in _DERIVING


def _list_fields(made: ast.ClassDef) -> Iterator[str]:
    for node in made.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _list_ignored(made: ast.ClassDef) -> Iterator[str]:
    own = next((each for each in made.body if getattr(each, "name", "") == "__eq__"), None)
    if own is not None:
        words = {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(own)}
        yield from () if words & _ALL else set(_list_fields(made)) - words
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


def _read_ignored_in_python(tree: Tree, path: str) -> Iterator[tuple[str, frozenset[str]]]:
    classes = tree.fact(list_dataclasses, path)
    return ((each.name, frozenset(_list_ignored(each))) for each in classes)


def _read_ignored_in_rust(tree: Tree, path: str) -> Iterator[tuple[str, frozenset[str]]]:
    root = tree.fact(parse_file, path)
    if root is None:
        return
    fields = dict(map(_read_struct, root.find_all(kind="struct_item")))
    for node in root.find_all(kind="impl_item"):
        trait, of = node.field("trait"), node.field("type")
        if trait is not None and of is not None and trait.text().startswith("PartialEq"):
            words = re.findall(r"\w+", node.text())
            yield of.text(), fields.get(of.text(), frozenset()).difference(words)


def _read_struct(node: SgNode) -> tuple[str, frozenset[str]]:
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
