"""A parsed Python file with the facts that several rules need.

For `from os import environ as e` and `if "PYTEST" in e: …`, `resolve_name` of the node `e` is
`os.environ`, and `find_statement` of the string is the condition around it.
"""

import ast
from collections.abc import Iterator
from functools import cached_property

from untildone.syntax.parsing import parse_python_file
from untildone.syntax.python_nodes import list_children, list_nodes
from untildone.words import words
from untildone.worktree.contents import Tree

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_IMPORTING_CALLS = ("__import__", "importlib.import_module", "import_module")
_TAKE_PATHS = words("""
    Path PurePath join joinpath open glob rglob iglob listdir walk scandir read_text import_module
    __import__ chdir
""")


def read_module(tree: Tree, path: str) -> "Module | None":
    """Return the module, or None if it does not parse. Use as a tree's fact."""
    parsed = tree.fact(parse_python_file, path)
    return Module(parsed) if parsed else None


class Module:
    """A syntax tree that also knows the parents of nodes and the meaning of names."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.nodes = tuple(list_nodes(tree))
        self.calls = [node for node in self.nodes if isinstance(node, ast.Call)]
        # Functions, methods and lambdas.
        self.functions = [node for node in self.nodes if isinstance(node, _FUNCTIONS)]
        self._parents = {child: node for node in self.nodes for child in list_children(node)}
        self._names: dict[ast.AST, frozenset[str]] = {}

    @cached_property
    def strings(self) -> tuple[tuple[str, ast.AST], ...]:
        """Strings with their nodes, without docstrings; `"a" + "b"` is one string."""
        return tuple(
            (text, node)
            for node in self.nodes
            if (text := fold_string(node)) is not None
            and fold_string(self._parents.get(node)) is None
            and not isinstance(self._parents.get(node), ast.Expr)
        )

    @cached_property
    def imports(self) -> tuple[tuple[str, ast.AST], ...]:
        """Imported modules and names with their statements: `a` and `a.b` of `from a import b`."""
        found: list[tuple[str, ast.AST]] = []
        for node in self.nodes:
            if isinstance(node, ast.Import):
                found += [(alias.name, node) for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.append((node.module, node))
                found += [(f"{node.module}.{alias.name}", node) for alias in node.names]
        return tuple(found)

    @cached_property
    def _aliases(self) -> dict[str, str]:
        """Full names by the names that the module uses for them."""
        aliases: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                aliases |= {alias.asname: alias.name for alias in node.names if alias.asname}
            elif isinstance(node, ast.ImportFrom) and node.module:
                aliases |= {
                    alias.asname or alias.name: f"{node.module}.{alias.name}"
                    for alias in node.names
                }
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute):
                # modules = sys.modules
                names = (target.id for target in node.targets if isinstance(target, ast.Name))
                aliases |= dict.fromkeys(names, ast.unparse(node.value))
        return aliases

    def resolve_name(self, node: ast.AST | None) -> str:
        """Return the dotted name without aliases: `__import__("os")._exit` is `os._exit`."""
        match node:
            case ast.Name():
                return self._aliases.get(node.id, node.id)
            case ast.Attribute():
                return f"{self.resolve_name(node.value)}.{node.attr}"
            case ast.Subscript():
                return f"{self.resolve_name(node.value)}.{fold_string(node.slice) or ''}"
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, name, *_]):
                return f"{self.resolve_name(owner)}.{fold_string(name) or ''}"
            case ast.Call(args=[name, *_]) if self.resolve_name(node.func) in _IMPORTING_CALLS:
                return fold_string(name) or ""
            case ast.Call():
                return self.resolve_name(node.func)
            case _:
                return ""

    def list_names(self, node: ast.AST) -> frozenset[str]:
        """Return every name and attribute below the node, also what aliases stand for."""
        if node not in self._names:
            names, aliases = frozenset(_find_names(node)), self._aliases
            meanings = (aliases[name].rpartition(".")[2] for name in names if name in aliases)
            self._names[node] = names.union(meanings)
        return self._names[node]

    def list_strings(self, node: ast.AST) -> list[str]:
        """Return the strings below the node."""
        inside = set(list_nodes(node))
        return [text for text, string in self.strings if string in inside]

    def find_statement(self, node: ast.AST) -> ast.AST:
        """Return the simple statement around it, or the condition of a compound one."""
        while True:
            parent = self._parents.get(node)
            if parent is None or isinstance(node, ast.stmt) or hasattr(parent, "body"):
                return node
            node = parent

    def find_first_use(self, node: ast.AST, names: frozenset[str]) -> ast.AST:
        """Return the first statement below the node that uses one of the names, else the node."""
        for part in list_nodes(node):
            if get_last_name(part) in names:
                return self.find_statement(part)
        return node

    def find_function(self, node: ast.AST) -> ast.AST:
        """Return the function around the node, else the module."""
        around = (found for found in self._list_ancestors(node) if isinstance(found, _FUNCTIONS))
        return next(around, self.tree)

    def runs_at_import(self, node: ast.AST) -> bool:
        """Say whether it stands outside of functions and of `if __name__ == …`."""
        return not any(
            isinstance(around, _FUNCTIONS)
            or (isinstance(around, ast.If) and "__name__" in set(_find_names(around.test)))
            for around in self._list_ancestors(node)
        )

    def find_call_around(self, node: ast.AST) -> ast.Call | None:
        """Return the innermost call whose arguments hold the node."""
        for around in self._list_ancestors(node):
            if isinstance(around, ast.Call | ast.stmt):
                return around if isinstance(around, ast.Call) else None
        return None

    def _list_ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        while (parent := self._parents.get(node)) is not None:
            yield parent
            node = parent

    def is_key_being_set(self, node: ast.AST) -> bool:
        """Say whether it is `key` in `{key: 1}` or `env[key] = 1`, which set and do not read it."""
        parent = self._parents.get(node)
        return isinstance(parent, ast.Dict) or (
            isinstance(parent, ast.Subscript) and is_assigned(parent)
        )

    def is_path(self, node: ast.AST) -> bool:
        """Say whether it is in `folder / "tests"`, or an argument of a call that takes paths."""
        if isinstance(self._parents.get(node), ast.BinOp):
            return True
        call = self.find_call_around(node)
        return call is not None and self.resolve_name(call.func).rpartition(".")[2] in _TAKE_PATHS


def is_assigned(node: ast.AST) -> bool:
    """Say whether the node is set or deleted there: `a.b = 1`, `del a[0]`."""
    return isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)


def get_last_name(node: ast.AST | None) -> str:
    """Return `b` for `a.b` and `a` for `a`; empty for what is no name."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def fold_string(node: ast.AST | None) -> str | None:
    """Return the string of a constant, of added constants or of an f-string; None for others."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            start, end = fold_string(left), fold_string(right)
            return None if start is None or end is None else start + end
        case ast.JoinedStr(values=parts):
            return "".join(fold_string(part) or "" for part in parts)
        case _:
            return None


def _find_names(node: ast.AST) -> Iterator[str]:
    for part in list_nodes(node):
        match part:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                yield name
            case ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_]):
                yield fold_string(name) or ""
            case _:
                continue
