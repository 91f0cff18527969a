"""Python classes that are equal to values that are only near to theirs."""

import ast
from collections.abc import Iterator
from typing import TypeAlias

from untildone.integrity.sniffing.python_module import Module

_SCALAR = frozenset(("int", "float", "complex", "str", "bytes", "Decimal", "Fraction"))
_CONTAINERS = frozenset(("list", "dict", "tuple", "set", "frozenset", "UserList", "UserDict"))
_LOOSENING = frozenset(("all", "any", "zip", "sorted", "set", "frozenset", "Counter"))
_PLAINLY = frozenset(
    (
        *("isinstance", "type", "issubclass", "id", "hash", "repr", "len"),
        *("int", "float", "complex", "str", "bytes", "bool", "list", "dict", "tuple"),
    )
)
_ROUNDING = frozenset(("isclose", "round", "trunc", "floor", "ceil", "allclose", "quantize"))
_Function: TypeAlias = ast.FunctionDef | ast.Lambda


def find_loose_equality(module: Module) -> Iterator[ast.AST]:
    """Find own kinds of numbers, texts and lists that tests would compare with plain ones."""
    nodes = list(ast.walk(module.tree))
    functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
    given = {
        module.dotted(node.targets[0]): _resolve_function(node.value, functions)
        for node in nodes
        if isinstance(node, ast.Assign)
    }
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            own = {name: _find_member(node, name, functions) for name in ("__eq__", "__hash__")}
            equal = own["__eq__"] or given.get(f"{node.name}.__eq__")
            bases = {getattr(each, "attr", getattr(each, "id", "")) for each in node.bases}
            if equal is not None and _is_loose(equal, own["__hash__"], bases):
                yield equal


def _find_member(
    made: ast.ClassDef, name: str, functions: dict[str, ast.FunctionDef]
) -> _Function | None:
    for each in made.body:
        if isinstance(each, ast.FunctionDef) and each.name == name:
            return each
        if isinstance(each, ast.Assign) and getattr(each.targets[0], "id", "") == name:
            return _resolve_function(each.value, functions)
    return None


def _resolve_function(value: ast.expr, functions: dict[str, ast.FunctionDef]) -> _Function | None:
    return value if isinstance(value, ast.Lambda) else functions.get(getattr(value, "id", ""))


def _is_loose(equal: _Function, hashed: _Function | None, bases: set[str]) -> bool:
    other = [each.arg for each in equal.args.args][-1:]
    scalar = not _SCALAR.isdisjoint(bases)
    if _measures_distance(equal):
        return scalar or _takes_plain(equal, other)
    if not _CONTAINERS.isdisjoint(bases):
        called = _list_calls(equal)
        return not _LOOSENING.isdisjoint(called) and "len" not in called
    # An honest class has a hash that agrees with its equality.
    made = _list_judges(equal, other) - (_list_judges(hashed, []) if hashed is not None else set())
    return scalar and bool(made)


def _measures_distance(equal: _Function) -> bool:
    """Say whether the distance of the two values decides."""
    compared = (node for node in ast.walk(equal) if isinstance(node, ast.Compare))
    orders = any(
        isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        for node in compared
        if "len" not in _list_calls(node)
        for op in node.ops
    )
    return orders or not _ROUNDING.isdisjoint(_list_calls(equal))


def _list_calls(node: ast.AST) -> set[str]:
    calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return {getattr(each, "attr", getattr(each, "id", "")) for each in calls}


def _takes_plain(equal: _Function, other: list[str]) -> bool:
    """Say whether it calculates with the other value as a number."""
    for node in ast.walk(equal):
        match node:
            case ast.BinOp(left=left, right=right):
                given = [left, right]
            case ast.Call(func=ast.Name(id="float" | "int" | "abs" | "round"), args=given):
                pass
            case _:
                continue
        if any(isinstance(each, ast.Name) and each.id in other for each in given):
            return True
    return False


def _list_judges(function: _Function, other: list[str]) -> set[str]:
    """Return the methods called, and the functions that are given the other value."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    methods = {each.func.attr for each in calls if isinstance(each.func, ast.Attribute)}
    judges = {
        each.func.id
        for each in calls
        if isinstance(each.func, ast.Name) and each.func.id not in _PLAINLY
        # `Version(other)` converts the other value first.
        if not each.func.id[0].isupper()
        if any(isinstance(given, ast.Name) and given.id in other for given in each.args)
    }
    return (methods | judges) - {"__eq__", "__ne__"}
