"""Marks of expected failure that current tests no longer have: those tests have to pass."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from untildone.syntax.parsing import parse_python

_EXPECTED = re.compile(r"\b(xfail|expectedFailure)\b")

_Tested: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class _Span(NamedTuple):
    first: int
    start: int
    last: int
    end: int


def remove_marks(start: str, now: str) -> str:
    """Return the baseline's text without the marks that the same tests lost since."""
    if not _EXPECTED.search(start):
        return start
    old, new = parse_python(start), parse_python(now)
    if old is None or new is None:
        return start
    before, after = _list_by_name(old), _list_by_name(new)
    spans = [
        span
        for name, node in before.items()
        if name in after and not _is_marked(after[name])
        for span in _find_marks(node)
    ]
    return _cut(start, spans)


def _list_by_name(tree: ast.Module) -> dict[str, _Tested]:
    found: dict[str, _Tested] = {}
    left: list[tuple[str, ast.AST]] = [("", tree)]
    while left:
        above, node = left.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _Tested):
                found[f"{above}{child.name}"] = child
                left.append((f"{above}{child.name}.", child))
    return found


def _is_marked(node: _Tested) -> bool:
    return any(_EXPECTED.search(ast.unparse(each)) for each in node.decorator_list)


def _find_marks(node: _Tested) -> Iterator[_Span]:
    """Yield marking decorators, which are whole lines, and marks of parametrized rows."""
    for each in node.decorator_list:
        called = each.func if isinstance(each, ast.Call) else each
        if _EXPECTED.search(ast.unparse(called)):
            yield _Span(each.lineno, 0, each.end_lineno or each.lineno, -1)
            continue
        for row in ast.walk(each):
            if isinstance(row, ast.Call) and row.args:
                yield from _find_row_marks(row)


def _find_row_marks(row: ast.Call) -> Iterator[_Span]:
    """`pytest.param(1, marks=pytest.mark.xfail)`"""
    if len(row.keywords) != 1 or row.keywords[0].arg != "marks":
        return
    before, mark = row.args[-1], row.keywords[0].value
    if _EXPECTED.search(ast.unparse(mark)):
        yield _Span(
            before.end_lineno or 0,
            before.end_col_offset or 0,
            mark.end_lineno or 0,
            mark.end_col_offset or 0,
        )


def _cut(text: str, spans: list[_Span]) -> str:
    """Columns are counted in bytes; -1 is the end of the line with its break."""
    lines = text.encode().splitlines(keepends=True)
    for first, start, last, end in sorted(spans, reverse=True):
        rest = b"" if end < 0 else lines[last - 1][end:]
        lines[first - 1 : last] = [lines[first - 1][:start] + rest]
    return b"".join(lines).decode()
