"""Types whose equality ignores fields or tolerates differences that counted in the baseline.

    price: float                            # compared in the baseline
    price: float = field(compare=False)     # ignored now

Tests compare by the equality of the type itself, so a wrong price no longer fails them.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from ast_grep_py import SgNode

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.sniffing.python_module import get_last_name
from untildone.syntax.languages import language_of
from untildone.syntax.nodes import read_name
from untildone.syntax.parsing import find_kinds, parse_file, parse_python_file
from untildone.syntax.python_nodes import list_nodes
from untildone.words import words
from untildone.worktree.contents import Tree

# Names of fields by the name of their type.
Fields = Mapping[str, frozenset[str]]
# Decorators of Python that write the equality of a class.
_DERIVING_DECORATORS = frozenset(("dataclass", "define", "frozen", "attrs"))
# Names in an `__eq__` that stand for all fields.
_ALL_FIELDS = frozenset(("astuple", "asdict", "__dict__", "vars", "fields"))
_LANGUAGES = words("python rust javascript typescript tsx go java kotlin cpp")
_FUNCTIONS = (
    *("method_definition", "method_declaration", "function_declaration", "function_definition"),
    "function_item",
)
# The head of a method that compares: `def __eq__(`, `fn eq(`, `bool operator==(`
_EQUALITY = compile_late(
    r"^[^{:]*?\b(__eq__|equals|isEqual|Equal|eq|operator\s*==)\s*\(", re.DOTALL
)
_LOOSE = compile_late(
    r"\babs(_diff)?\(|\.(abs|round|floor|ceil|trunc|toFixed|Abs|Round|Floor|Trunc)\("
    r"|\b(round|floor|trunc|isclose|approx\w*)\(|(?i:epsilon|toleranc|ignore_?case|equalfold)"
    r"|(?i:to_?lower|casefold|to_ascii_lower|\.lower\()"
)


def find_ignored_fields(before: Fields, tree: Tree, path: str) -> Iterator[tuple[str, str]]:
    """Yield each type with a field that it compared `before` and ignores in the file now."""
    language = language_of(path)
    read = _read_ignored_in_rust if language == "rust" else _read_ignored_in_python
    for name, ignored in read(tree, path) if language in ("python", "rust") else ():
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
    return dict(_read_struct(struct) for struct in structs if _derives_partial_eq(struct))


def list_dataclasses(tree: Tree, path: str) -> list[ast.ClassDef]:
    """Return the classes whose equality a decorator makes. Use as a tree's fact."""
    module = tree.fact(parse_python_file, path)
    nodes = list_nodes(module) if module else ()
    return [
        node
        for node in nodes
        if isinstance(node, ast.ClassDef) and any(map(_derives_equality, node.decorator_list))
    ]


def _derives_equality(decorator: ast.expr) -> bool:
    """Say whether it is `@dataclass`, `@attrs.define(…)` and the like."""
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return get_last_name(function) in _DERIVING_DECORATORS


def _list_fields(dataclass: ast.ClassDef) -> Iterator[str]:
    for node in dataclass.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _list_ignored(dataclass: ast.ClassDef) -> Iterator[str]:
    """Yield the fields that its own `__eq__` does not name, or that are `field(compare=False)`."""
    method = next((node for node in dataclass.body if getattr(node, "name", "") == "__eq__"), None)
    if method is not None:
        names = set(map(get_last_name, list_nodes(method)))
        yield from () if names & _ALL_FIELDS else set(_list_fields(dataclass)) - names
        return
    for node in dataclass.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call(keywords=options)):
                values = {option.arg: ast.unparse(option.value) for option in options}
                if "False" in (values.get("compare"), values.get("eq")):
                    yield name
            case _:
                continue


def _read_ignored_in_python(tree: Tree, path: str) -> Iterator[tuple[str, frozenset[str]]]:
    classes = tree.fact(list_dataclasses, path)
    return ((dataclass.name, frozenset(_list_ignored(dataclass))) for dataclass in classes)


def _read_ignored_in_rust(tree: Tree, path: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each type with the fields that its `impl PartialEq` does not name."""
    root = tree.fact(parse_file, path)
    if root is None:
        return
    fields = dict(map(_read_struct, root.find_all(kind="struct_item")))
    for node in root.find_all(kind="impl_item"):
        trait, owner = node.field("trait"), node.field("type")
        if trait is not None and owner is not None and trait.text().startswith("PartialEq"):
            names = re.findall(r"\w+", node.text())
            yield owner.text(), fields.get(owner.text(), frozenset()).difference(names)


def _read_struct(struct: SgNode) -> tuple[str, frozenset[str]]:
    """Return the name of a Rust struct and the names of its fields."""
    declarations = (struct, *struct.find_all(kind="field_declaration"))
    names = [read_name(declaration) for declaration in declarations]
    return names[0], frozenset(filter(None, names[1:]))


def _derives_partial_eq(struct: SgNode) -> bool:
    """Say whether `#[derive(PartialEq)]` is among the attributes above a Rust struct."""
    above = struct.prev()
    while above is not None and above.kind() in ("attribute_item", "line_comment"):
        if "derive" in above.text() and "PartialEq" in above.text():
            return True
        above = above.prev()
    return False


def find_loosened_type(comparison: Comparison, path: str) -> str:
    """Return the type or method whose equality became loose; empty if there is none."""
    if language_of(path) not in _LANGUAGES or not _LOOSE.search(comparison.new.text(path)):
        return ""
    old = comparison.old.fact(list_equalities, path)
    new = comparison.new.fact(list_equalities, path)
    derived = comparison.old.fact(read_compared_fields, path)
    # How many exact equalities of each type are gone.
    exact = Counter(name for name, text in old if not _LOOSE.search(text))
    exact.update(set(derived).difference(name for name, _ in old))
    exact.subtract(name for name, text in new if not _LOOSE.search(text))
    loose = (equality for equality in new if _LOOSE.search(equality[1]) and equality not in old)
    return next((name for name, _ in loose if exact[name] > 0), "")


def list_equalities(tree: Tree, path: str) -> list[tuple[str, str]]:
    """Return type and text of each equality method in the file. Use as a tree's fact."""
    root = tree.fact(parse_file, path)
    functions = find_kinds(root, _FUNCTIONS) if root else ()
    heads = ((node, _EQUALITY.match(node.text())) for node in functions)
    return [(_find_owner(node) or head[1], node.text()) for node, head in heads if head]


def _find_owner(method: SgNode) -> str:
    """Return the name of the receiver's type, or of the class or `impl` around; empty without."""
    receiver = method.field("receiver")
    if receiver is not None:
        # func (p *Price) Equal(other Price) bool
        return str(re.findall(r"\w+", receiver.text())[-1])
    for ancestor in method.ancestors():
        name = ancestor.field("type") or ancestor.field("name")
        if ancestor.kind().startswith(("class", "impl", "struct", "object")) and name is not None:
            return name.text()
    return ""
