"""Python classes whose equality does not depend on what they are compared with."""

import ast
from collections.abc import Iterator

from untildone.integrity.sniffing.python_module import Module, fold_text

_CONSTANT = {"__eq__": True, "__ne__": False}
_PLAIN = frozenset(("int", "float", "complex", "str", "bytes", "bool", "list", "dict", "tuple"))


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
    given = [each.arg for each in function.args.args]
    if _uses_only_length(function, given[-1:]):
        return True
    refuses = any(isinstance(each, ast.Constant) and not each.value for each in answers)
    if given and given[0] not in names and names & _PLAIN:
        # It only asks whether the other value is a number or a text.
        return True
    return not names.intersection(given[-1:]) and not refuses and function.args.vararg is None


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
