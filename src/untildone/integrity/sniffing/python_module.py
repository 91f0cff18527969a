"""A parsed Python file with the facts that several rules need."""

import ast
from collections.abc import Iterator
from functools import cached_property

from untildone.syntax.parsing import parse_python_file
from untildone.worktree.contents import Tree

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_TEXT = 200
_PATHS = frozenset(
    (
        *("Path", "PurePath", "join", "joinpath", "open", "glob", "rglob", "iglob", "listdir"),
        *("walk", "scandir", "read_text", "import_module", "__import__", "chdir"),
    )
)


def read_module(tree: Tree, path: str) -> "Module | None":
    """Return the module, or None if it does not parse. Use as a tree's fact."""
    parsed = tree.fact(parse_python_file, path)
    return Module(parsed) if parsed else None


class Module:
    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self._above = {
            child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
        }
        self._words: dict[ast.AST, frozenset[str]] = {}

    @cached_property
    def calls(self) -> tuple[ast.Call, ...]:
        return tuple(node for node in ast.walk(self.tree) if isinstance(node, ast.Call))

    @cached_property
    def raises(self) -> tuple[ast.Raise, ...]:
        return tuple(node for node in ast.walk(self.tree) if isinstance(node, ast.Raise))

    @cached_property
    def scopes(self) -> tuple[ast.AST, ...]:
        """Functions, methods and lambdas."""
        return tuple(node for node in ast.walk(self.tree) if isinstance(node, _FUNCTIONS))

    @cached_property
    def strings(self) -> tuple[tuple[str, ast.AST], ...]:
        """Strings without docstrings; added strings are one string."""
        found = []
        for node in ast.walk(self.tree):
            text = fold_text(node)
            joined = fold_text(self._above.get(node)) is not None
            if text is not None and not joined and not self._is_docstring(node):
                found.append((text, node))
        return tuple(found)

    @cached_property
    def imports(self) -> tuple[tuple[str, ast.AST], ...]:
        found: list[tuple[str, ast.AST]] = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found += [(alias.name, node) for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.append((node.module, node))
                found += [(f"{node.module}.{alias.name}", node) for alias in node.names]
        return tuple(found)

    @cached_property
    def targets(self) -> tuple[ast.AST, ...]:
        return tuple(
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Attribute | ast.Subscript)
            and isinstance(node.ctx, ast.Store | ast.Del)
        )

    @cached_property
    def _aliases(self) -> dict[str, str]:
        known: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                known |= {alias.asname: alias.name for alias in node.names if alias.asname}
            elif isinstance(node, ast.ImportFrom) and node.module:
                known |= {
                    alias.asname or alias.name: f"{node.module}.{alias.name}"
                    for alias in node.names
                }
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute):
                # modules = sys.modules
                named = (target.id for target in node.targets if isinstance(target, ast.Name))
                known |= dict.fromkeys(named, ast.unparse(node.value))
        return known

    def dotted(self, node: ast.AST | None) -> str:
        """Return the name without aliases: `__import__("os")._exit` is `os._exit`."""
        match node:
            case ast.Name():
                return self._aliases.get(node.id, node.id)
            case ast.Attribute():
                return f"{self.dotted(node.value)}.{node.attr}"
            case ast.Subscript():
                return f"{self.dotted(node.value)}.{fold_text(node.slice) or ''}"
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, name, *_]):
                return f"{self.dotted(owner)}.{fold_text(name) or ''}"
            case ast.Call(func=function, args=[name, *_]) if _imports(self.dotted(function)):
                return fold_text(name) or ""
            case ast.Call():
                return self.dotted(node.func)
            case _:
                return ""

    def words(self, node: ast.AST) -> frozenset[str]:
        """Return every name and attribute below the node."""
        if node not in self._words:
            words, aliases = frozenset(_words(node)), self._aliases
            meanings = (aliases[word].rpartition(".")[2] for word in words if word in aliases)
            self._words[node] = words.union(meanings)
        return self._words[node]

    def texts(self, node: ast.AST) -> list[str]:
        inside = set(ast.walk(node))
        return [text for text, found in self.strings if found in inside]

    def statement(self, node: ast.AST) -> ast.AST:
        """Return the simple statement around it, or the condition of a compound one."""
        while True:
            above = self._above.get(node)
            if above is None or isinstance(node, ast.stmt) or hasattr(above, "body"):
                return node
            node = above

    def scope(self, node: ast.AST) -> ast.AST:
        while (above := self._above.get(node)) is not None:
            if isinstance(above, _FUNCTIONS):
                return above
            node = above
        return self.tree

    def at_import(self, node: ast.AST) -> bool:
        """Say whether it runs at import: outside of functions and of `if __name__ == …`."""
        while (above := self._above.get(node)) is not None:
            if isinstance(above, _FUNCTIONS) or _is_main(above):
                return False
            node = above
        return True

    def within_call(self, node: ast.AST) -> ast.Call | None:
        while (above := self._above.get(node)) is not None and not isinstance(above, ast.stmt):
            if isinstance(above, ast.Call):
                return above
            node = above
        return None

    def is_key(self, node: ast.AST) -> bool:
        """Say whether it is a key that is being set, as for another program's environment."""
        above = self._above.get(node)
        return isinstance(above, ast.Dict) or (
            isinstance(above, ast.Subscript) and self.is_target(above)
        )

    def is_path(self, node: ast.AST) -> bool:
        """`folder / "tests"`, or an argument of a function that works with paths."""
        if isinstance(self._above.get(node), ast.BinOp):
            return True
        call = self.within_call(node)
        return call is not None and self.dotted(call.func).rpartition(".")[2] in _PATHS

    def is_target(self, node: ast.AST) -> bool:
        return isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)

    def first(self, node: ast.AST, words: frozenset[str]) -> ast.AST:
        for part in ast.walk(node):
            if getattr(part, "attr", getattr(part, "id", "")) in words:
                return self.statement(part)
        return node

    def source(self, node: ast.AST) -> str:
        return ast.unparse(node)[:_TEXT]

    def _is_docstring(self, node: ast.AST) -> bool:
        return isinstance(self._above.get(node), ast.Expr)


def fold_text(node: ast.AST | None) -> str | None:
    """Return the string of a constant, of added constants or of an f-string."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = fold_text(left), fold_text(right)
            return None if first is None or second is None else first + second
        case ast.JoinedStr(values=parts):
            return "".join(fold_text(part) or "" for part in parts)
        case _:
            return None


def _words(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                yield name
            case ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_]):
                yield fold_text(name) or ""
            case _:
                continue


def _imports(name: str) -> bool:
    return name in ("__import__", "importlib.import_module", "import_module")


def _is_main(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "__name__" in set(_words(node.test))
