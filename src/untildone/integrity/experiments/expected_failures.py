"""Marks of expected failure that current tests no longer have: those tests have to pass."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from untildone.syntax.parsing import parse_python

_EXPECTED = re.compile(r"\b(xfail|expectedFailure)\b")

_Tested: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class _Span(NamedTuple):
    """Lines are counted from 1 and columns in bytes; -1 is the end of the line with its break."""

    first_line: int
    first_column: int
    last_line: int
    last_column: int


def remove_marks(old: str, new: str) -> str:
    """Return the baseline's text without the marks that the same tests lost since."""
    if not _EXPECTED.search(old):
        return old
    old_module, new_module = parse_python(old), parse_python(new)
    if old_module is None or new_module is None:
        return old
    before, after = dict(_list_by_name(old_module)), dict(_list_by_name(new_module))
    unmarked = {
        name
        for name, node in after.items()
        if not any(_EXPECTED.search(ast.unparse(each)) for each in node.decorator_list)
    }
    spans = [
        span for name, node in before.items() if name in unmarked for span in _find_marks(node)
    ]
    lines = old.encode().splitlines(keepends=True)
    for first_line, first_column, last_line, last_column in sorted(spans, reverse=True):
        rest = b"" if last_column < 0 else lines[last_line - 1][last_column:]
        lines[first_line - 1 : last_line] = [lines[first_line - 1][:first_column] + rest]
    return b"".join(lines).decode()


def _list_by_name(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, _Tested]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _Tested):
            yield f"{prefix}{child.name}", child
            yield from _list_by_name(child, f"{prefix}{child.name}.")


def _find_marks(node: _Tested) -> Iterator[_Span]:
    """Yield marking decorators, which are whole lines, and marks of parametrized rows."""
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if _EXPECTED.search(ast.unparse(called)):
            yield _Span(decorator.lineno, 0, decorator.end_lineno or decorator.lineno, -1)
            continue
        for row in ast.walk(decorator):
            match row:
                # pytest.param(1, marks=pytest.mark.xfail)
                case ast.Call(args=[*_, last], keywords=[ast.keyword(arg="marks", value=mark)]):
                    if _EXPECTED.search(ast.unparse(mark)):
                        yield _Span(*_get_end(last), *_get_end(mark))
                case _:
                    continue


def _get_end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0
