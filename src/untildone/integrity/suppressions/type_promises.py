"""Type guards that check nothing, and overloads that leave out a possible result.

`isText(x: unknown): x is string { return true; }` promises a type without looking. A function that
may return `undefined` while none of its overloads says so promises too much.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ast_grep_py import SgNode

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.suppressions.active_linters import select_read
from untildone.syntax.languages import language_of
from untildone.syntax.parsing import find_kinds, parse_file, parse_python_file
from untildone.syntax.python_nodes import list_children, list_nodes
from untildone.worktree.contents import Tree

_TYPESCRIPT = ("typescript", "tsx")
# An expression that is true for every argument.
_ALWAYS_TRUE = compile_late(r"(?:.*(?:\|\||\bor)\s*)?(?:true|!0|True|1)", re.DOTALL)
_EMPTY_TYPE = compile_late(r"\b(?:undefined|null|void|None|Optional)\b")
_PYTHON_GUARD = compile_late(r"\b(?:TypeGuard|TypeIs)\b")
_BODIES = ("function_declaration", "function_expression", "arrow_function", "method_definition")
_SIGNATURES = ("function_signature", "method_signature")


class _Function(NamedTuple):
    name: str
    # Its return type as written; empty if it has none.
    result: str
    # A signature alone; the code belongs to another function of that name.
    is_overload: bool = False
    # A type guard that does not look at its argument.
    is_blind: bool = False


def find_broken_promises(comparison: Comparison) -> Iterator[Concern]:
    """Report guards and overloads of product code that promise more than those of the baseline."""
    changes = comparison.changes
    old_paths = select_read(comparison, (*changes.edited, *changes.removed, *changes.moved))
    old = [found for path in old_paths for found in comparison.old.fact(list_functions, path)]
    for path in select_read(comparison, (*changes.edited, *changes.added)):
        if comparison.role(path) == "test":
            continue
        for rule, name, fault in _find_broken(comparison.new.fact(list_functions, path), old):
            reason = f"`{name}` in `{path}` {fault}"
            yield make_concern(ConcernKind.SUPPRESSION, path, rule, reason=reason, content=name)


def _find_broken(
    functions: Sequence[_Function], old: Sequence[_Function]
) -> Iterator[tuple[str, str, str]]:
    """Yield rule, function and fault of each promise that the old functions do not break too."""
    for function in functions:
        if function.is_blind and function not in old:
            yield "type guard", function.name, f"promises `{function.result}` and checks nothing"
    hidden_before = _find_hidden_results(old)
    for name, hidden in _find_hidden_results(functions, old).items():
        if name not in hidden_before:
            yield "overload", name, f"may return `{hidden}`, which no overload says"


def _find_hidden_results(
    functions: Sequence[_Function], old: Sequence[_Function] = ()
) -> dict[str, str]:
    """Return the empty type that a function may return and no overload of it names, by function.

    Where the code has no return type, that of the baseline counts: to remove it changes no result.
    """
    old_results = {function.name: function.result for function in old if not function.is_overload}
    overloads: dict[str, str] = {}
    results: dict[str, str] = {}
    for name, result, is_overload, _ in functions:
        if is_overload:
            overloads[name] = f"{overloads.get(name, '')} {result}"
        else:
            results[name] = result or old_results.get(name, "")
    return {
        name: empty[0]
        for name, promised in overloads.items()
        if (empty := _EMPTY_TYPE.search(results.get(name, ""))) and not _EMPTY_TYPE.search(promised)
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
    # `x is string` needs a test; `asserts x is string` has to use `x` at least.
    is_blind = body is not None and (
        (kind == "type_predicate_annotation" and _always_returns_true(body))
        or (kind == "asserts_annotation" and not _mentions(body, promise.split()[1]))
    )
    # Signatures without code of their own: `declare function f(): void`, methods of interfaces.
    above = [ancestor.kind() for ancestor in node.ancestors()]
    is_ambient = "ambient_declaration" in above or "interface_declaration" in above
    is_overload = node.kind() in _SIGNATURES and not is_ambient
    return _Function(_read_name(node), promise, is_overload, is_blind)


def _always_returns_true(body: SgNode) -> bool:
    """Say whether a TypeScript function returns true for every argument."""
    if body.kind() != "statement_block":
        # (x): x is string => true
        return bool(_ALWAYS_TRUE.fullmatch(body.text().strip("() ")))
    statements = [statement.text() for statement in body.find_all(kind="return_statement")]
    return _are_all_true([text.removeprefix("return").strip(" ;()\n") for text in statements])


def _are_all_true(expressions: Sequence[str]) -> bool:
    """Say whether every returned expression is true; a body without any only declares."""
    return bool(expressions) and all(map(_ALWAYS_TRUE.fullmatch, expressions))


def _mentions(body: SgNode, name: str) -> bool:
    """Say whether the body uses the parameter `name`, which may also be `this`."""
    return any(identifier.text() == name for identifier in body.find_all(kind="identifier")) or (
        name == "this" and body.find(kind="this") is not None
    )


def _read_name(node: SgNode) -> str:
    """Return the name with its class; an arrow function has the name of its variable."""
    name = node.field("name")
    above = list(node.ancestors())
    if name is None and above and above[0].kind() == "variable_declarator":
        name = above[0].field("name")
    classes = [outer for outer in above if outer.kind().endswith("class_declaration")]
    names = (*(outer.field("name") for outer in classes[:1]), name)
    return ".".join(part.text() for part in names if part) + "()"


def _list_python_functions(module: ast.Module) -> Iterator[_Function]:
    for parent in list_nodes(module):
        class_prefix = f"{parent.name}." if isinstance(parent, ast.ClassDef) else ""
        for node in list_children(parent):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield _read_python_function(node, class_prefix)


def _read_python_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef, class_prefix: str
) -> _Function:
    result = ast.unparse(node.returns) if node.returns else ""
    decorators = [ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list]
    is_blind = bool(_PYTHON_GUARD.search(result)) and _are_all_true(_list_returned(node))
    return _Function(f"{class_prefix}{node.name}()", result, "overload" in decorators, is_blind)


def _list_returned(function: ast.AST) -> list[str]:
    returns = (part for part in list_nodes(function) if isinstance(part, ast.Return))
    return [ast.unparse(part.value) if part.value else "" for part in returns]
