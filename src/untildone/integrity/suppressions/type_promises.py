"""Type guards that check nothing, and overloads that leave out a possible result."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ast_grep_py import SgNode

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.syntax.languages import language_of
from untildone.syntax.parsing import find_kinds, parse_file, parse_python_file
from untildone.worktree.contents import Tree

_TYPESCRIPT = ("typescript", "tsx")
# An expression that is true for every argument.
_ALWAYS = re.compile(r"(?:.*(?:\|\||\bor)\s*)?(?:true|!0|True|1)", re.DOTALL)
_NOTHING = re.compile(r"\b(?:undefined|null|void|None|Optional)\b")
_GUARD = re.compile(r"\b(?:TypeGuard|TypeIs)\b")
_BODIES = ("function_declaration", "function_expression", "arrow_function", "method_definition")
_SIGNATURES = ("function_signature", "method_signature")


class _Function(NamedTuple):
    name: str
    result: str
    # A signature alone; the code belongs to another function of that name.
    is_overload: bool = False
    # A type guard that does not look at its argument.
    is_blind: bool = False


def find_broken_promises(comparison: Comparison) -> Iterator[Concern]:
    changes = comparison.changes
    before = (*changes.edited, *changes.removed, *changes.moved)
    known = [function for path in before for function in comparison.old.fact(list_functions, path)]
    for path in (*changes.edited, *changes.added):
        if comparison.role(path) == "test":
            continue
        for rule, name, why in _find_broken(comparison.new.fact(list_functions, path), known):
            reason = f"`{name}` in `{path}` {why}"
            yield make_concern(ConcernKind.SUPPRESSION, path, rule, reason=reason, content=name)


def _find_broken(
    functions: Sequence[_Function], known: Sequence[_Function]
) -> Iterator[tuple[str, str, str]]:
    for function in functions:
        if function.is_blind and function not in known:
            yield "type guard", function.name, f"promises `{function.result}` and checks nothing"
    hidden_before = _find_hidden_results(known)
    for name, hidden in _find_hidden_results(functions, known).items():
        if name not in hidden_before:
            yield "overload", name, f"may return `{hidden}`, which no overload says"


def _find_hidden_results(
    functions: Sequence[_Function], known: Sequence[_Function] = ()
) -> dict[str, str]:
    """Return empty results that no overload names, by function.

    Where the code has no return type, that of the baseline counts.
    """
    before = {function.name: function.result for function in known if not function.is_overload}
    overloads: dict[str, str] = {}
    for function in functions:
        if function.is_overload:
            overloads[function.name] = f"{overloads.get(function.name, '')} {function.result}"
    real = {
        function.name: function.result or before.get(function.name, "")
        for function in functions
        if not function.is_overload
    }
    found = {name: _NOTHING.search(real.get(name, "")) for name in overloads}
    return {
        name: empty[0]
        for name, empty in found.items()
        if empty and not _NOTHING.search(overloads[name])
    }


def list_functions(tree: Tree, path: str) -> tuple[_Function, ...]:
    """Return the functions of a file in a typed language. Use as a tree's fact."""
    language = language_of(path, tree.text(path))
    if language == "python":
        module = tree.fact(parse_python_file, path)
        return tuple(_list_python_functions(module)) if module else ()
    root = tree.fact(parse_file, path) if language in _TYPESCRIPT else None
    nodes = find_kinds(root, (*_BODIES, *_SIGNATURES)) if root else ()
    return tuple(map(_read_typescript_function, nodes))


def _read_typescript_function(node: SgNode) -> _Function:
    result, body = node.field("return_type"), node.field("body")
    promise = result.text().lstrip(": ") if result else ""
    kind = result.kind() if result else ""
    blind = body is not None and (
        (kind == "type_predicate_annotation" and _always_returns_true(body))
        or (kind == "asserts_annotation" and not _mentions(body, promise.split()[1]))
    )
    overload = node.kind() in _SIGNATURES and not _is_ambient(node)
    return _Function(_read_name(node), promise, overload, blind)


def _always_returns_true(body: SgNode) -> bool:
    if body.kind() != "statement_block":
        return bool(_ALWAYS.fullmatch(body.text().strip("() ")))
    returned = [statement.text() for statement in body.find_all(kind="return_statement")]
    return _all_true(text.removeprefix("return").strip(" ;()\n") for text in returned)


def _all_true(returned: Iterable[str]) -> bool:
    """A function that returns nothing at all is only declared here."""
    found = [bool(_ALWAYS.fullmatch(text)) for text in returned]
    return bool(found) and all(found)


def _mentions(body: SgNode, name: str) -> bool:
    return any(identifier.text() == name for identifier in body.find_all(kind="identifier")) or (
        name == "this" and body.find(kind="this") is not None
    )


def _is_ambient(node: SgNode) -> bool:
    above = [ancestor.kind() for ancestor in node.ancestors()]
    return "ambient_declaration" in above or "interface_declaration" in above


def _read_name(node: SgNode) -> str:
    """Return the name with its class; an arrow function has the name of its variable."""
    name = node.field("name")
    above = list(node.ancestors())
    if name is None and above and above[0].kind() == "variable_declarator":
        name = above[0].field("name")
    owners = [
        ancestor.field("name")
        for ancestor in above
        if ancestor.kind().endswith("class_declaration")
    ]
    names = [part.text() for part in (*owners[:1], name) if part]
    return ".".join(names) + "()"


def _list_python_functions(module: ast.Module) -> Iterator[_Function]:
    for holder in ast.walk(module):
        owner = f"{holder.name}." if isinstance(holder, ast.ClassDef) else ""
        for node in ast.iter_child_nodes(holder):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield _read_python_function(node, owner)


def _read_python_function(node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> _Function:
    result = ast.unparse(node.returns) if node.returns else ""
    decorators = [ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list]
    returned = [
        ast.unparse(part.value) if part.value else ""
        for part in ast.walk(node)
        if isinstance(part, ast.Return)
    ]
    blind = bool(_GUARD.search(result)) and _all_true(returned)
    return _Function(f"{owner}{node.name}()", result, "overload" in decorators, blind)
