"""Type annotations that were removed or weakened to `Any`.

`def load(path: Path)` that became `def load(path)` or `def load(path: Any)`, and TypeScript files
that became JavaScript.
"""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.suppressions.active_linters import select_read
from untildone.syntax.parsing import parse_python_file
from untildone.syntax.python_nodes import list_nodes
from untildone.worktree.contents import Tree

_TYPESCRIPT_SUFFIXES = (".ts", ".tsx", ".mts", ".cts")
_JAVASCRIPT_SUFFIXES = (".js", ".jsx", ".mjs", ".cjs")
# Annotations that allow every value.
_ANY = compile_late(r"\b(Any|Incomplete)\b")


def find_weakened_types(comparison: Comparison) -> Iterator[Concern]:
    """Report files and annotations of which a type checker sees less than in the baseline."""
    yield from _find_untyped_files(comparison)
    for path in select_read(comparison, comparison.changes.edited):
        if path.endswith((".py", ".pyi")):
            yield from _find_lost_annotations(comparison, path)


def _find_untyped_files(comparison: Comparison) -> Iterator[Concern]:
    """Report TypeScript files that became JavaScript, which is not type-checked."""
    changes = comparison.changes
    untyped = {
        PurePosixPath(path).stem: path
        for path in select_read(comparison, (*changes.added, *changes.moved.values()))
        if path.endswith(_JAVASCRIPT_SUFFIXES)
    }
    for path in (*changes.removed, *changes.moved):
        new_path = untyped.get(PurePosixPath(path).stem, "")
        if new_path and path.endswith(_TYPESCRIPT_SUFFIXES):
            reason = f"`{path}` became `{new_path}`, whose types are not checked"
            yield make_concern(ConcernKind.SUPPRESSION, new_path, "type checking", reason=reason)


def _find_lost_annotations(comparison: Comparison, path: str) -> Iterator[Concern]:
    """Report names of a Python file that had a type and now have none, or `Any`."""
    annotations = comparison.new.fact(read_annotations, path)
    for name, old in comparison.old.fact(read_annotations, path).items():
        new = annotations.get(name)
        # A name that is gone needs no type.
        if new is None or not old or _ANY.search(old) or (new and not _ANY.search(new)):
            continue
        rule, effect = ("Any", f"is `{new}` now") if new else ("untyped", "has no type now")
        reason = f"`{name}` in `{path}` was `{old}` and {effect}"
        yield make_concern(ConcernKind.SUPPRESSION, path, rule, reason=reason, content=name)


def read_annotations(tree: Tree, path: str) -> dict[str, str]:
    """Return the annotations in a Python file by name, empty where a name has none.

    `f(x)` is the parameter `x` of `f`, and `f()` its result. Use as a tree's fact.
    """
    module = tree.fact(parse_python_file, path)
    return dict(_read_annotations(module)) if module else {}


def _read_annotations(module: ast.Module) -> Iterator[tuple[str, str]]:
    for node in list_nodes(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                yield f"{node.name}({parameter.arg})", _unparse(parameter.annotation)
            yield f"{node.name}()", _unparse(node.returns)
        elif isinstance(node, ast.AnnAssign):
            yield ast.unparse(node.target), _unparse(node.annotation)


def _unparse(annotation: ast.expr | None) -> str:
    return ast.unparse(annotation) if annotation else ""
