"""Types that were taken back so that a type checker has nothing to say."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison

_TYPED = frozenset((".ts", ".tsx", ".mts", ".cts"))
_UNTYPED = frozenset((".js", ".jsx", ".mjs", ".cjs"))
_ANY = re.compile(r"\b(Any|Incomplete)\b")


def weakened(compared: Comparison) -> Iterator[Concern]:
    yield from _became_untyped(compared)
    for path in compared.changes.edited:
        if path.endswith((".py", ".pyi")):
            yield from _annotations_lost(compared, path)


def _became_untyped(compared: Comparison) -> Iterator[Concern]:
    """A TypeScript file that goes on as JavaScript, which nobody type-checks."""
    changes = compared.changes
    arrived = [*changes.added, *changes.moved.values()]
    untyped = {PurePosixPath(path).stem: path for path in arrived if _suffix(path) in _UNTYPED}
    for path in (*changes.removed, *changes.moved):
        stem = PurePosixPath(path).stem
        if _suffix(path) in _TYPED and stem in untyped:
            now = untyped[stem]
            because = f"`{path}` goes on as `{now}`, whose types nobody checks"
            yield make_concern(ConcernKind.SUPPRESSION, now, "type checking", reason=because)


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix


def _annotations_lost(compared: Comparison, path: str) -> Iterator[Concern]:
    old, new = (dict(_annotations(tree.text(path))) for tree in (compared.old, compared.new))
    for name, before in old.items():
        now = new.get(name)
        if now is None or not before or _ANY.search(before):
            continue
        if not now:
            because = f"`{name}` in `{path}` was `{before}` and has no type now"
            yield make_concern(
                ConcernKind.SUPPRESSION, path, "untyped", reason=because, content=name
            )
        elif _ANY.search(now):
            because = f"`{name}` in `{path}` was `{before}` and is `{now}` now"
            yield make_concern(ConcernKind.SUPPRESSION, path, "Any", reason=because, content=name)


def _annotations(text: str) -> Iterator[tuple[str, str]]:
    """Of every parameter and result by its name; empty where there is none."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            for each in arguments:
                yield f"{node.name}({each.arg})", _written(each.annotation)
            yield f"{node.name}()", _written(node.returns)
        elif isinstance(node, ast.AnnAssign):
            yield ast.unparse(node.target), _written(node.annotation)


def _written(annotation: ast.expr | None) -> str:
    return ast.unparse(annotation) if annotation else ""
