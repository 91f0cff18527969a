"""Python classes that equal whatever they are compared with, or values near to theirs.

`def __eq__(self, other): return True`, or a subclass of `float` whose `__eq__` returns
`abs(self - other) < 1`: a test that compares results with `==` passes although they are wrong.
"""

import ast
from collections.abc import Iterator
from typing import TypeAlias

from untildone.integrity.sniffing.python_module import Module, fold_string, get_last_name
from untildone.syntax.python_nodes import list_nodes

# What the methods of a greedy value answer, one that equals everything.
_GREEDY_ANSWERS = {"__eq__": True, "__ne__": False}
_PLAIN_TYPES = frozenset(
    ("int", "float", "complex", "str", "bytes", "bool", "list", "dict", "tuple")
)
_SCALAR_TYPES = frozenset(("int", "float", "complex", "str", "bytes", "Decimal", "Fraction"))
_CONTAINER_TYPES = frozenset(("list", "dict", "tuple", "set", "frozenset", "UserList", "UserDict"))
_LOOSENING_CALLS = frozenset(("all", "any", "zip", "sorted", "set", "frozenset", "Counter"))
# To call these with the other value says nothing about its being equal.
_NOT_JUDGING = _PLAIN_TYPES | {"isinstance", "type", "issubclass", "id", "hash", "repr", "len"}
_ROUNDING_CALLS = frozenset(("isclose", "round", "trunc", "floor", "ceil", "allclose", "quantize"))
_Function: TypeAlias = ast.FunctionDef | ast.Lambda


def find_constant_equality(module: Module) -> Iterator[ast.AST]:
    """Yield equality functions whose answer does not depend on the other value."""
    for node in module.nodes:
        match node:
            case ast.FunctionDef(name="__eq__" | "__ne__") if _ignores_other_value(node):
                yield node
            case ast.Assign(targets=[target], value=ast.Lambda() as value):
                yield from _find_greedy_lambda(get_last_name(target), value)
            case ast.Dict():
                # type("Any", (), {"__eq__": lambda self, other: True})
                for key, item in zip(node.keys, node.values, strict=True):
                    yield from _find_greedy_lambda(fold_string(key) or "", item)
            case ast.Call(args=[_, key, item], func=ast.Name(id="setattr")):
                yield from _find_greedy_lambda(fold_string(key) or "", item)
            case _:
                continue


def _find_greedy_lambda(name: str, value: ast.AST) -> Iterator[ast.AST]:
    """Yield the value if it is a lambda that makes the method `name` equal to everything."""
    if (
        isinstance(value, ast.Lambda)
        and name in _GREEDY_ANSWERS
        and _is_greedy_answer(value.body, name)
    ):
        yield value


def _ignores_other_value(function: ast.FunctionDef) -> bool:
    """Say whether `__eq__` or `__ne__` always answers the same or hardly looks at the other."""
    answers = [
        node.value
        for node in list_nodes(function)
        if isinstance(node, ast.Return) and node.value is not None
        if not (isinstance(node.value, ast.Name) and node.value.id == "NotImplemented")
    ]
    if not answers:
        return False
    if all(_is_greedy_answer(answer, function.name) for answer in answers):
        return True
    names = {node.id for node in list_nodes(function) if isinstance(node, ast.Name)}
    parameters = [parameter.arg for parameter in function.args.args]
    if _uses_only_length(function, parameters[-1:]):
        return True
    # A class that equals nothing, by `return False`, makes tests fail.
    may_refuse = any(isinstance(answer, ast.Constant) and not answer.value for answer in answers)
    if parameters and parameters[0] not in names and names & _PLAIN_TYPES:
        # return isinstance(other, int)
        return True
    uses_other = names.intersection(parameters[-1:]) or function.args.vararg is not None
    return not uses_other and not may_refuse


def _uses_only_length(function: ast.FunctionDef, other: list[str]) -> bool:
    """Say whether every use of the other value is `len(other)`; `other` has its name, if any."""
    nodes = list(list_nodes(function))
    measured = [
        node.args[0]
        for node in nodes
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and node.args
    ]
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id in other]
    return bool(uses) and all(node in measured for node in uses)


def _is_greedy_answer(answer: ast.AST, name: str) -> bool:
    """Say whether the method `name` answers "equal" here: `True`, `x == x`, `… or True`."""
    match answer:
        case ast.Constant(value=value):
            return value is _GREEDY_ANSWERS[name]
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            return name == "__eq__" and ast.dump(left) == ast.dump(right)
        case ast.BoolOp(op=ast.Or(), values=values):
            return name == "__eq__" and any(_is_greedy_answer(value, name) for value in values)
        case _:
            return False


def find_loose_equality(module: Module) -> Iterator[ast.AST]:
    """Yield each `__eq__` that accepts values which only are near: `abs(self - other) < 1`.

    It matters in subclasses of numbers, texts and lists, which tests compare with plain ones.
    """
    functions = {node.name: node for node in module.nodes if isinstance(node, ast.FunctionDef)}
    # Price.__eq__ = _is_close
    assigned = {
        module.resolve_name(node.targets[0]): _resolve_function(node.value, functions)
        for node in module.nodes
        if isinstance(node, ast.Assign)
    }
    for node in module.nodes:
        if isinstance(node, ast.ClassDef):
            equal = _find_method(node, "__eq__", functions) or assigned.get(f"{node.name}.__eq__")
            hashed = _find_method(node, "__hash__", functions)
            if equal is not None and _is_loose(equal, hashed, set(map(get_last_name, node.bases))):
                yield equal


def _find_method(
    owner: ast.ClassDef, name: str, functions: dict[str, ast.FunctionDef]
) -> _Function | None:
    """Return a method that the class defines or assigns: `__eq__ = _is_close`."""
    for node in owner.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return _resolve_function(node.value, functions)
    return None


def _resolve_function(value: ast.expr, functions: dict[str, ast.FunctionDef]) -> _Function | None:
    """Return the lambda or the function of the module that an assigned value is."""
    return value if isinstance(value, ast.Lambda) else functions.get(getattr(value, "id", ""))


def _is_loose(equal: _Function, hashed: _Function | None, bases: set[str]) -> bool:
    """Say whether `__eq__` of a class with these bases accepts values that differ from its own.

    `hashed` is the `__hash__` of the class.
    """
    other = [parameter.arg for parameter in equal.args.args][-1:]
    is_scalar = not _SCALAR_TYPES.isdisjoint(bases)
    if _measures_distance(equal):
        return is_scalar or _calculates_with(equal, other)
    if not _CONTAINER_TYPES.isdisjoint(bases):
        # all(a == b for a, b in zip(self, other)) ignores what is left of the longer one.
        calls = _list_calls(equal)
        return not _LOOSENING_CALLS.isdisjoint(calls) and "len" not in calls
    # self.lower() == other.lower(); an honest class has a hash that calls the same.
    judging = _list_judging_calls(equal, other)
    if hashed is not None:
        judging -= _list_judging_calls(hashed, [])
    return is_scalar and bool(judging)


def _measures_distance(equal: _Function) -> bool:
    """Say whether it orders values or rounds them: `abs(self - other) < 1`, `round(self) == …`."""
    uses_order = any(
        isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        for node in list_nodes(equal)
        if isinstance(node, ast.Compare) and "len" not in _list_calls(node)
        for operator in node.ops
    )
    return uses_order or not _ROUNDING_CALLS.isdisjoint(_list_calls(equal))


def _list_calls(node: ast.AST) -> set[str]:
    """Return the last names of the functions that are called below the node."""
    return {get_last_name(part.func) for part in list_nodes(node) if isinstance(part, ast.Call)}


def _calculates_with(equal: _Function, other: list[str]) -> bool:
    """Say whether it uses the other value as a number: `self.x - other`, `float(other)`."""
    for node in list_nodes(equal):
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


def _list_judging_calls(function: _Function, other: list[str]) -> set[str]:
    """Return the calls that may decide the answer: of methods, and with the other value.

    `lower` for `self.lower() == other.lower()`, `clean` for `clean(other)`.
    """
    calls = [node for node in list_nodes(function) if isinstance(node, ast.Call)]
    methods = {call.func.attr for call in calls if isinstance(call.func, ast.Attribute)}
    functions = {
        call.func.id
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id not in _NOT_JUDGING
        # `Version(other)` only converts the other value.
        if not call.func.id[0].isupper()
        if any(isinstance(part, ast.Name) and part.id in other for part in call.args)
    }
    return (methods | functions) - {"__eq__", "__ne__"}
