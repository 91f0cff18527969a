"""Type annotations that were removed or weakened to `Any`."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.syntax.parsing import parse_python_file
from untildone.worktree.contents import Tree

_TYPED = frozenset((".ts", ".tsx", ".mts", ".cts"))
_UNTYPED = frozenset((".js", ".jsx", ".mjs", ".cjs"))
_ANY = re.compile(r"\b(Any|Incomplete)\b")


def find_weakened_types(comparison: Comparison) -> Iterator[Concern]:
    yield from _find_untyped_files(comparison)
    for path in comparison.changes.edited:
        if path.endswith((".py", ".pyi")):
            yield from _find_lost_annotations(comparison, path)


def _find_untyped_files(comparison: Comparison) -> Iterator[Concern]:
    """Report TypeScript files that became JavaScript, which is not type-checked."""
    changes = comparison.changes
    arrived = [*changes.added, *changes.moved.values()]
    untyped = {PurePosixPath(path).stem: path for path in arrived if _suffix(path) in _UNTYPED}
    for path in (*changes.removed, *changes.moved):
        stem = PurePosixPath(path).stem
        if _suffix(path) in _TYPED and stem in untyped:
            now = untyped[stem]
            reason = f"`{path}` became `{now}`, whose types are not checked"
            yield make_concern(ConcernKind.SUPPRESSION, now, "type checking", reason=reason)


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix


def _find_lost_annotations(comparison: Comparison, path: str) -> Iterator[Concern]:
    old, new = (
        dict(tree.fact(read_annotations, path)) for tree in (comparison.old, comparison.new)
    )
    for name, before in old.items():
        now = new.get(name)
        if now is None or not before or _ANY.search(before):
            continue
        if not now:
            reason = f"`{name}` in `{path}` was `{before}` and has no type now"
            yield make_concern(
                ConcernKind.SUPPRESSION, path, "untyped", reason=reason, content=name
            )
        elif _ANY.search(now):
            reason = f"`{name}` in `{path}` was `{before}` and is `{now}` now"
            yield make_concern(ConcernKind.SUPPRESSION, path, "Any", reason=reason, content=name)


def read_annotations(tree: Tree, path: str) -> tuple[tuple[str, str], ...]:
    """Return the annotation of each parameter, result and variable, empty where it has none."""
    module = tree.fact(parse_python_file, path)
    return tuple(_read_annotations(module)) if module else ()


def _read_annotations(module: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            for argument in arguments:
                yield f"{node.name}({argument.arg})", _unparse(argument.annotation)
            yield f"{node.name}()", _unparse(node.returns)
        elif isinstance(node, ast.AnnAssign):
            yield ast.unparse(node.target), _unparse(node.annotation)


def _unparse(annotation: ast.expr | None) -> str:
    return ast.unparse(annotation) if annotation else ""
