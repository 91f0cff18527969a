"""Types promised and not kept: guards that ask nothing, overloads that hide a result."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ast_grep_py import SgNode

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.syntax.languages import language_of
from untildone.syntax.parsing import find_kinds, parse_source

_TYPESCRIPT = ("typescript", "tsx")
# Whatever it was asked about.
_ALWAYS = re.compile(r"(?:.*(?:\|\||\bor)\s*)?(?:true|!0|True|1)", re.DOTALL)
_NOTHING = re.compile(r"\b(?:undefined|null|void|None|Optional)\b")
_GUARD = re.compile(r"\b(?:TypeGuard|TypeIs)\b")
_BODIES = ("function_declaration", "function_expression", "arrow_function", "method_definition")
_SIGNATURES = ("function_signature", "method_signature")


class _Function(NamedTuple):
    name: str
    result: str
    # Only what callers are told; the code is another's.
    overload: bool = False
    blind: bool = False


def unkept(compared: Comparison) -> Iterator[Concern]:
    changes = compared.changes
    before = (*changes.edited, *changes.removed, *changes.moved)
    known = [each for path in before for each in _functions(path, compared.old.text(path))]
    for path in (*changes.edited, *changes.added):
        if compared.role(path) == "test":
            continue
        for rule, name, why in _lies(list(_functions(path, compared.new.text(path))), known):
            because = f"`{name}` in `{path}` {why}"
            yield make_concern(ConcernKind.SUPPRESSION, path, rule, reason=because, content=name)


def _lies(functions: list[_Function], known: list[_Function]) -> Iterator[tuple[str, str, str]]:
    for each in functions:
        if each.blind and each not in known:
            yield "type guard", each.name, f"promises `{each.result}` and asks nothing"
    hiding = _hiding(known)
    for name, hidden in _hiding(functions, known).items():
        if name not in hiding:
            yield "overload", name, f"may return `{hidden}`, which none of its overloads says"


def _hiding(functions: list[_Function], known: Iterable[_Function] = ()) -> dict[str, str]:
    """What comes back and is in no overload; where the code says no type, what it said before."""
    before = {each.name: each.result for each in known if not each.overload}
    told: dict[str, str] = {}
    for each in functions:
        if each.overload:
            told[each.name] = f"{told.get(each.name, '')} {each.result}"
    real = {
        each.name: each.result or before.get(each.name, "")
        for each in functions
        if not each.overload
    }
    found = {name: _NOTHING.search(real.get(name, "")) for name in told}
    return {
        name: empty[0] for name, empty in found.items() if empty and not _NOTHING.search(told[name])
    }


def _functions(path: str, text: str) -> Iterator[_Function]:
    spoken = language_of(path, text)
    if spoken in _TYPESCRIPT:
        for node in find_kinds(parse_source(text, spoken), (*_BODIES, *_SIGNATURES)):
            yield _typescript(node)
    elif spoken == "python":
        yield from _python(text)


def _typescript(node: SgNode) -> _Function:
    result, body = node.field("return_type"), node.field("body")
    said = result.text().lstrip(": ") if result else ""
    kind = result.kind() if result else ""
    blind = body is not None and (
        (kind == "type_predicate_annotation" and _always(body))
        or (kind == "asserts_annotation" and not _mentions(body, said.split()[1]))
    )
    overload = node.kind() in _SIGNATURES and not _ambient(node)
    return _Function(_named(node), said, overload, blind)


def _always(body: SgNode) -> bool:
    if body.kind() != "statement_block":
        return bool(_ALWAYS.fullmatch(body.text().strip("() ")))
    returned = [each.text() for each in body.find_all(kind="return_statement")]
    return _all_true(each.removeprefix("return").strip(" ;()\n") for each in returned)


def _all_true(returned: Iterable[str]) -> bool:
    """Where nothing is returned at all, somebody else has the code."""
    found = [bool(_ALWAYS.fullmatch(each)) for each in returned]
    return bool(found) and all(found)


def _mentions(body: SgNode, name: str) -> bool:
    return any(each.text() == name for each in body.find_all(kind="identifier")) or (
        name == "this" and body.find(kind="this") is not None
    )


def _ambient(node: SgNode) -> bool:
    above = [each.kind() for each in node.ancestors()]
    return "ambient_declaration" in above or "interface_declaration" in above


def _named(node: SgNode) -> str:
    """With its class, where it has one; an arrow by the variable that holds it."""
    name = node.field("name")
    above = list(node.ancestors())
    if name is None and above and above[0].kind() == "variable_declarator":
        name = above[0].field("name")
    owners = [each.field("name") for each in above if each.kind().endswith("class_declaration")]
    names = [each.text() for each in (*owners[:1], name) if each]
    return ".".join(names) + "()"


def _python(text: str) -> Iterator[_Function]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for holder in ast.walk(tree):
        owner = f"{holder.name}." if isinstance(holder, ast.ClassDef) else ""
        for node in ast.iter_child_nodes(holder):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield _python_function(node, owner)


def _python_function(node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> _Function:
    result = ast.unparse(node.returns) if node.returns else ""
    decorators = [ast.unparse(each).rpartition(".")[2] for each in node.decorator_list]
    returned = [
        ast.unparse(each.value) if each.value else ""
        for each in ast.walk(node)
        if isinstance(each, ast.Return)
    ]
    blind = bool(_GUARD.search(result)) and _all_true(returned)
    return _Function(f"{owner}{node.name}()", result, "overload" in decorators, blind)
