"""Types whose equality ignores fields or tolerates differences that counted in the baseline."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from ast_grep_py import SgNode

from untildone.integrity.comparison import Comparison
from untildone.syntax.languages import language_of
from untildone.syntax.parsing import find_kinds, parse_file, parse_python_file
from untildone.worktree.contents import Tree

Fields = Mapping[str, frozenset[str]]
# Decorators of Python that write the equality of a class.
_DERIVING = frozenset(("dataclass", "define", "frozen", "attrs"))
_ALL_FIELDS = frozenset(("astuple", "asdict", "__dict__", "vars", "fields"))
_EQUALITY_LANGUAGES = frozenset(
    ("python", "rust", "javascript", "typescript", "tsx", "go", "java", "kotlin", "cpp")
)
_FUNCTIONS = (
    *("method_definition", "method_declaration", "function_declaration", "function_definition"),
    "function_item",
)
_EQUALITY = re.compile(r"^[^{:]*?\b(__eq__|equals|isEqual|Equal|eq|operator\s*==)\s*\(", re.DOTALL)
_NEAR = re.compile(
    r"\babs(_diff)?\(|\.(abs|round|floor|ceil|trunc|toFixed|Abs|Round|Floor|Trunc)\("
    r"|\b(round|floor|trunc|isclose|approx\w*)\(|(?i:epsilon|toleranc|ignore_?case|equalfold)"
    r"|(?i:to_?lower|casefold|to_ascii_lower|\.lower\()"
)


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
            dataclass.name: frozenset(_list_fields(dataclass)).difference(_list_ignored(dataclass))
            for dataclass in tree.fact(list_dataclasses, path)
        }
    root = tree.fact(parse_file, path) if language == "rust" else None
    structs = root.find_all(kind="struct_item") if root else ()
    return dict(_read_struct(struct) for struct in structs if _derives_equality(struct))


def list_dataclasses(tree: Tree, path: str) -> list[ast.ClassDef]:
    """Return the classes whose equality a decorator makes. Use as a tree's fact."""
    module = tree.fact(parse_python_file, path)
    nodes = ast.walk(module) if module else ()
    classes = (node for node in nodes if isinstance(node, ast.ClassDef))
    return [dataclass for dataclass in classes if any(map(_derives, dataclass.decorator_list))]


def _derives(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return getattr(called, "attr", getattr(called, "id", "")) in _DERIVING


def _list_fields(dataclass: ast.ClassDef) -> Iterator[str]:
    for node in dataclass.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _list_ignored(dataclass: ast.ClassDef) -> Iterator[str]:
    own = next((node for node in dataclass.body if getattr(node, "name", "") == "__eq__"), None)
    if own is not None:
        words = {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(own)}
        yield from () if words & _ALL_FIELDS else set(_list_fields(dataclass)) - words
        return
    for node in dataclass.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call(keywords=options)):
                names = [option.arg for option in options if _is_false(option.value)]
                if "compare" in names or "eq" in names:
                    yield name
            case _:
                continue


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _read_ignored_in_python(tree: Tree, path: str) -> Iterator[tuple[str, frozenset[str]]]:
    classes = tree.fact(list_dataclasses, path)
    return ((dataclass.name, frozenset(_list_ignored(dataclass))) for dataclass in classes)


def _read_ignored_in_rust(tree: Tree, path: str) -> Iterator[tuple[str, frozenset[str]]]:
    root = tree.fact(parse_file, path)
    if root is None:
        return
    fields = dict(map(_read_struct, root.find_all(kind="struct_item")))
    for node in root.find_all(kind="impl_item"):
        trait, owner = node.field("trait"), node.field("type")
        if trait is not None and owner is not None and trait.text().startswith("PartialEq"):
            words = re.findall(r"\w+", node.text())
            yield owner.text(), fields.get(owner.text(), frozenset()).difference(words)


def _read_struct(node: SgNode) -> tuple[str, frozenset[str]]:
    declared = (node, *node.find_all(kind="field_declaration"))
    first, *rest = (
        name.text() for declaration in declared if (name := declaration.field("name")) is not None
    )
    return first, frozenset(rest)


def _derives_equality(struct: SgNode) -> bool:
    above = struct.prev()
    while above is not None and above.kind() in ("attribute_item", "line_comment"):
        if "derive" in above.text() and "PartialEq" in above.text():
            return True
        above = above.prev()
    return False


def find_loosened_type(comparison: Comparison, path: str) -> str:
    """Return the type or method whose equality became loose; empty if there is none."""
    if language_of(path) not in _EQUALITY_LANGUAGES or not _NEAR.search(comparison.new.text(path)):
        return ""
    before = comparison.old.fact(list_equalities, path)
    after = comparison.new.fact(list_equalities, path)
    derived = comparison.old.fact(read_compared_fields, path)
    exact = Counter(name for name, text in before if not _NEAR.search(text))
    exact.update(set(derived).difference(name for name, _ in before))
    exact.subtract(name for name, text in after if not _NEAR.search(text))
    near = (equality for equality in after if _NEAR.search(equality[1]) and equality not in before)
    return next((name for name, _ in near if exact[name] > 0), "")


def list_equalities(tree: Tree, path: str) -> list[tuple[str, str]]:
    """Return each equality method with the type it belongs to. Use as a tree's fact."""
    root = tree.fact(parse_file, path)
    found = find_kinds(root, _FUNCTIONS) if root else ()
    return [(_read_type(node), node.text()) for node in found if _EQUALITY.match(node.text())]


def _read_type(function: SgNode) -> str:
    """Return the class or implementation around it, or its receiver, else its own name."""
    receiver = function.field("receiver")
    if receiver is not None:
        return str(re.findall(r"\w+", receiver.text())[-1])
    for ancestor in function.ancestors():
        named = ancestor.field("type") or ancestor.field("name")
        if ancestor.kind().startswith(("class", "impl", "struct", "object")) and named is not None:
            return named.text()
    found = _EQUALITY.match(function.text())
    return found[1] if found else ""
