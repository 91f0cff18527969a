"""Python classes that are equal to whatever they are compared with, or to values near to theirs."""

import ast
from collections.abc import Iterator
from typing import TypeAlias

from untildone.integrity.sniffing.python_module import Module, fold_text

_CONSTANT = {"__eq__": True, "__ne__": False}
_PLAIN = frozenset(("int", "float", "complex", "str", "bytes", "bool", "list", "dict", "tuple"))
_SCALAR = frozenset(("int", "float", "complex", "str", "bytes", "Decimal", "Fraction"))
_CONTAINERS = frozenset(("list", "dict", "tuple", "set", "frozenset", "UserList", "UserDict"))
_LOOSENING = frozenset(("all", "any", "zip", "sorted", "set", "frozenset", "Counter"))
# To call these with the other value does not judge it.
_NO_JUDGES = _PLAIN | {"isinstance", "type", "issubclass", "id", "hash", "repr", "len"}
_ROUNDING = frozenset(("isclose", "round", "trunc", "floor", "ceil", "allclose", "quantize"))
_Function: TypeAlias = ast.FunctionDef | ast.Lambda


def find_constant_equality(module: Module) -> Iterator[ast.AST]:
    for node in ast.walk(module.tree):
        match node:
            case ast.FunctionDef(name=("__eq__" | "__ne__") as name) if _is_constant(node, name):
                yield node
            case ast.Assign(targets=[target], value=ast.Lambda() as value):
                called = getattr(target, "id", None) or getattr(target, "attr", None) or ""
                yield from _check_lambda(called, value)
            case ast.Dict():
                for key, item in zip(node.keys, node.values, strict=True):
                    yield from _check_lambda(fold_text(key) or "", item)
            case ast.Call(args=[_, key, item], func=ast.Name(id="setattr")):
                yield from _check_lambda(fold_text(key) or "", item)
            case _:
                continue


def _check_lambda(name: str, value: ast.AST) -> Iterator[ast.AST]:
    if isinstance(value, ast.Lambda) and name in _CONSTANT and _is_fixed(value.body, name):
        yield value


def _is_constant(function: ast.FunctionDef, name: str) -> bool:
    """Say whether every answer is the same, or the other value is not looked at."""
    answers = [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and node.value is not None
        if not (isinstance(node.value, ast.Name) and node.value.id == "NotImplemented")
    ]
    if not answers:
        return False
    if all(_is_fixed(answer, name) for answer in answers):
        return True
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    parameters = [parameter.arg for parameter in function.args.args]
    if _uses_only_length(function, parameters[-1:]):
        return True
    refuses = any(isinstance(answer, ast.Constant) and not answer.value for answer in answers)
    if parameters and parameters[0] not in names and names & _PLAIN:
        # It only asks whether the other value is a number or a text.
        return True
    return not names.intersection(parameters[-1:]) and not refuses and function.args.vararg is None


def _uses_only_length(function: ast.FunctionDef, other: list[str]) -> bool:
    """Say whether only the length of the other value decides."""
    measured = {
        id(node.args[0])
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and node.args
    }
    uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id in other]
    return bool(uses) and all(id(node) in measured for node in uses)


def _is_fixed(answer: ast.AST, name: str) -> bool:
    match answer:
        case ast.Constant(value=value):
            return value is _CONSTANT[name]
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            return name == "__eq__" and ast.dump(left) == ast.dump(right)
        case ast.BoolOp(op=ast.Or(), values=values):
            return name == "__eq__" and any(_is_fixed(value, name) for value in values)
        case _:
            return False


def find_loose_equality(module: Module) -> Iterator[ast.AST]:
    """Find own kinds of numbers, texts and lists that tests would compare with plain ones."""
    nodes = list(ast.walk(module.tree))
    functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
    assigned = {
        module.dotted(node.targets[0]): _resolve_function(node.value, functions)
        for node in nodes
        if isinstance(node, ast.Assign)
    }
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            own = {name: _find_member(node, name, functions) for name in ("__eq__", "__hash__")}
            equal = own["__eq__"] or assigned.get(f"{node.name}.__eq__")
            bases = {getattr(base, "attr", getattr(base, "id", "")) for base in node.bases}
            if equal is not None and _is_loose(equal, own["__hash__"], bases):
                yield equal


def _find_member(
    owner: ast.ClassDef, name: str, functions: dict[str, ast.FunctionDef]
) -> _Function | None:
    for node in owner.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return _resolve_function(node.value, functions)
    return None


def _resolve_function(value: ast.expr, functions: dict[str, ast.FunctionDef]) -> _Function | None:
    return value if isinstance(value, ast.Lambda) else functions.get(getattr(value, "id", ""))


def _is_loose(equal: _Function, hashed: _Function | None, bases: set[str]) -> bool:
    other = [parameter.arg for parameter in equal.args.args][-1:]
    scalar = not _SCALAR.isdisjoint(bases)
    if _measures_distance(equal):
        return scalar or _takes_plain(equal, other)
    if not _CONTAINERS.isdisjoint(bases):
        called = _list_calls(equal)
        return not _LOOSENING.isdisjoint(called) and "len" not in called
    # An honest class has a hash that agrees with its equality.
    judges = _list_judges(equal, other)
    if hashed is not None:
        judges -= _list_judges(hashed, [])
    return scalar and bool(judges)


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
    called = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
    return {getattr(function, "attr", getattr(function, "id", "")) for function in called}


def _takes_plain(equal: _Function, other: list[str]) -> bool:
    """Say whether it calculates with the other value as a number."""
    for node in ast.walk(equal):
        match node:
            case ast.BinOp(left=left, right=right):
                operands = [left, right]
            case ast.Call(func=ast.Name(id="float" | "int" | "abs" | "round"), args=operands):
                pass
            case _:
                continue
        if any(isinstance(part, ast.Name) and part.id in other for part in operands):
            return True
    return False


def _list_judges(function: _Function, other: list[str]) -> set[str]:
    """Return the methods called, and the functions that are given the other value."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    methods = {call.func.attr for call in calls if isinstance(call.func, ast.Attribute)}
    judges = {
        call.func.id
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id not in _NO_JUDGES
        # `Version(other)` converts the other value first.
        if not call.func.id[0].isupper()
        if any(isinstance(part, ast.Name) and part.id in other for part in call.args)
    }
    return (methods | judges) - {"__eq__", "__ne__"}
