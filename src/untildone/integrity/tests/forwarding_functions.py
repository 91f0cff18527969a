"""Deprecated functions that only forward to their replacement, so its tests cover them too.

`def get(url): warnings.warn("use fetch"); return fetch(url)` is as well tested by tests of `fetch`.
"""

import ast
import re
from typing import TypeAlias

from untildone.integrity.comparison import Comparison
from untildone.integrity.tests.tested_names import find_product_names
from untildone.syntax.parsing import parse_python_file

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

# warnings.warn("use fetch", DeprecationWarning), log.warning("..."), _deprecated("get")
_WARNING_CALL = re.compile(r"(\w+\.)*(warn\w*|_?deprecat\w*)")


def find_forwarding_functions(comparison: Comparison) -> dict[str, str]:
    """Return the replacement by old name.

    Both are defined exactly once, and the baseline did not define the replacement.
    """
    found: dict[str, list[_Function]] = {}
    for path in comparison.changes.edited_or_added:
        if path.endswith(".py") and comparison.role(path) == "product":
            module = comparison.new.fact(parse_python_file, path)
            for node in ast.walk(module) if module is not None else ():
                if isinstance(node, _Function):
                    found.setdefault(node.name, []).append(node)
    single = {name: nodes[0] for name, nodes in found.items() if len(nodes) == 1}
    pairs = {name: _find_forwarded_call(node) for name, node in single.items()}
    pairs = {name: other for name, other in pairs.items() if other in single}
    known = find_product_names(comparison.old) if pairs else frozenset()
    return {
        name: other
        for name, other in pairs.items()
        if other not in known and _has_same_parameters(single[name], single[other])
    }


def _has_same_parameters(one: _Function, other: _Function) -> bool:
    """Whether the parameters and defaults are equal, or `one` passes everything on."""
    passes_all = one.args.vararg is not None and one.args.kwarg is not None
    return passes_all or ast.unparse(one.args) == ast.unparse(other.args)


def _find_forwarded_call(node: _Function) -> str:
    """Return the function it passes its arguments to, if it does nothing else but warn."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if not body or not all(map(_warns, body[:-1])):
        return ""
    last = body[-1].value if isinstance(body[-1], ast.Return) else None
    call = last.value if isinstance(last, ast.Await) else last
    if not isinstance(call, ast.Call):
        return ""
    owner, _, name = ast.unparse(call.func).rpartition(".")
    taken = _list_parameters(node.args, within=owner)
    return name if owner in ("", "self", "cls") and taken == _list_arguments(call) else ""


def _warns(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and bool(_WARNING_CALL.fullmatch(ast.unparse(call.func)))


def _list_parameters(parameters: ast.arguments, *, within: str) -> list[str]:
    names = [parameter.arg for parameter in (*parameters.posonlyargs, *parameters.args)]
    if within and names[:1] == [within]:
        names = names[1:]
    names += [f"*{parameters.vararg.arg}"] if parameters.vararg else []
    names += [parameter.arg for parameter in parameters.kwonlyargs]
    return [*names, *([f"**{parameters.kwarg.arg}"] if parameters.kwarg else [])]


def _list_arguments(call: ast.Call) -> list[str]:
    """List the arguments of `f(a, b=b, **rest)`; one renamed as in `b=c` makes it `["?"]`."""
    names = list(map(ast.unparse, call.args))
    for keyword in call.keywords:
        value = ast.unparse(keyword.value)
        if keyword.arg not in (None, value):
            return ["?"]
        names.append(keyword.arg or f"**{value}")
    return names
