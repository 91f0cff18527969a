"""Finds deprecated functions that only forward to their new replacement.

    def get(url):
        warnings.warn("use fetch", DeprecationWarning)
        return fetch(url)

Tests of `fetch` cover `get` as well, so they may replace its tests.
"""

import ast
from typing import TypeAlias

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.tests.tested_names import find_product_names
from untildone.syntax.parsing import parse_python_file
from untildone.syntax.python_nodes import list_nodes

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

# warnings.warn("use fetch", DeprecationWarning), log.warning("..."), _deprecated("get")
_WARNING_CALL = compile_late(r"(\w+\.)*(warn\w*|_?deprecat\w*)")


def find_forwarding_functions(comparison: Comparison) -> dict[str, str]:
    """Return the replacement by old name: `{"get": "fetch"}`.

    Both are defined exactly once in the changed product files, and the baseline's product did not
    define the replacement.
    """
    definitions: dict[str, list[_Function]] = {}
    for path in comparison.changes.edited_or_added:
        if path.endswith(".py") and comparison.role(path) == "product":
            module = comparison.new.fact(parse_python_file, path)
            for node in list_nodes(module) if module is not None else ():
                if isinstance(node, _Function):
                    definitions.setdefault(node.name, []).append(node)
    functions = {name: nodes[0] for name, nodes in definitions.items() if len(nodes) == 1}
    targets = {name: _find_forwarding_target(node) for name, node in functions.items()}
    targets = {name: target for name, target in targets.items() if target in functions}
    baseline_names = find_product_names(comparison.old) if targets else frozenset()
    return {
        name: target
        for name, target in targets.items()
        if target not in baseline_names and _accepts_same_calls(functions[name], functions[target])
    }


def _accepts_same_calls(function: _Function, target: _Function) -> bool:
    """Whether parameters and defaults are equal, or are `*args` and `**options` passed on."""
    passes_all = function.args.vararg is not None and function.args.kwarg is not None
    return passes_all or ast.unparse(function.args) == ast.unparse(target.args)


def _find_forwarding_target(function: _Function) -> str:
    """Return the function that gets all arguments, if nothing else happens but a warning.

    It is `fetch` for `return fetch(url)`, `return await fetch(url)` and `return self.fetch(url)`;
    "" if the function does anything else.
    """
    has_docstring = ast.get_docstring(function, clean=False) is not None
    body = function.body[1:] if has_docstring else function.body
    if not body or not all(map(_is_warning, body[:-1])):
        return ""
    result = body[-1].value if isinstance(body[-1], ast.Return) else None
    call = result.value if isinstance(result, ast.Await) else result
    if not isinstance(call, ast.Call):
        return ""
    owner, _, name = ast.unparse(call.func).rpartition(".")
    parameters = _list_parameters(function.args, owner=owner)
    return name if owner in ("", "self", "cls") and parameters == _list_arguments(call) else ""


def _is_warning(statement: ast.stmt) -> bool:
    """Whether the statement is nothing but a call that warns."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and bool(_WARNING_CALL.fullmatch(ast.unparse(call.func)))


def _list_parameters(parameters: ast.arguments, *, owner: str) -> list[str]:
    """Return the parameters as a call passes them on: `url`, `*args`, `**options`.

    The first is left out if it is the `self` or `cls` that the call goes through.
    """
    names = [parameter.arg for parameter in (*parameters.posonlyargs, *parameters.args)]
    if owner and names[:1] == [owner]:
        names = names[1:]
    names += [f"*{parameters.vararg.arg}"] if parameters.vararg else []
    names += [parameter.arg for parameter in parameters.kwonlyargs]
    return [*names, *([f"**{parameters.kwarg.arg}"] if parameters.kwarg else [])]


def _list_arguments(call: ast.Call) -> list[str]:
    """Return `["a", "b", "**rest"]` for `f(a, b=b, **rest)`.

    An argument passed under another name, as in `b=c`, makes it `["?"]`, which no function has.
    """
    names = list(map(ast.unparse, call.args))
    for keyword in call.keywords:
        value = ast.unparse(keyword.value)
        if keyword.arg not in (None, value):
            return ["?"]
        names.append(keyword.arg or f"**{value}")
    return names
