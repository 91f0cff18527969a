"""Baseline tests without the marks of expected failure that the current tests no longer have.

The text of the baseline is edited so that it can run again as stricter tests. If the task is to fix
what a test expects to fail, and the current version of the test has no mark, the baseline's

    @pytest.mark.xfail
    def test_total(): ...

loses its first line: from now on this test has to pass.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from untildone.core.late_patterns import compile_late
from untildone.syntax.parsing import parse_python

_MARK = compile_late(r"\b(xfail|expectedFailure)\b")
_Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class _Span(NamedTuple):
    """A part of a text. Lines are counted from 1 and columns from 0, in bytes."""

    first_line: int
    first_column: int
    last_line: int
    # The column behind the last byte.
    last_column: int


def remove_xfail_marks(old: str, new: str) -> str:
    """Return the baseline's text `old` without the marks that the same tests lack in `new`."""
    if not _MARK.search(old):
        return old
    old_module, new_module = parse_python(old), parse_python(new)
    if old_module is None or new_module is None:
        return old
    # A later definition replaces an earlier one of the same name.
    old_definitions = dict(_list_definitions(old_module))
    new_definitions = dict(_list_definitions(new_module))
    unmarked = {
        name
        for name, definition in new_definitions.items()
        if not any(map(_MARK.search, map(ast.unparse, definition.decorator_list)))
    }
    spans = [
        span
        for name, definition in old_definitions.items()
        if name in unmarked
        for span in _find_marks(definition)
    ]
    return _cut_spans(old, spans)


def _list_definitions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, _Definition]]:
    """Yield functions and classes with their dotted names, as `TestCart.test_total`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _Definition):
            yield f"{prefix}{child.name}", child
            yield from _list_definitions(child, f"{prefix}{child.name}.")


def _find_marks(definition: _Definition) -> Iterator[_Span]:
    """Yield marking decorators, which are whole lines, and marks of parametrized rows."""
    for decorator in definition.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if _MARK.search(ast.unparse(called)):
            # With its line break: up to the beginning of the next line.
            yield _Span(decorator.lineno, 0, _get_end(decorator)[0] + 1, 0)
            continue
        for node in ast.walk(decorator):
            match node:
                # `pytest.param(1, marks=pytest.mark.xfail)` becomes `pytest.param(1)`.
                case ast.Call(args=[*_, last], keywords=[ast.keyword(arg="marks", value=mark)]):
                    if _MARK.search(ast.unparse(mark)):
                        yield _Span(*_get_end(last), *_get_end(mark))
                case _:
                    continue


def _get_end(node: ast.expr) -> tuple[int, int]:
    """Return the line and the column at which the expression ends."""
    return node.end_lineno or 0, node.end_col_offset or 0


def _cut_spans(text: str, spans: list[_Span]) -> str:
    """Return the text without the spans, which do not overlap."""
    lines = text.encode().splitlines(keepends=True)
    # From the end, so that the positions of the others stay valid.
    for first_line, first_column, last_line, last_column in sorted(spans, reverse=True):
        kept = lines[first_line - 1][:first_column] + lines[last_line - 1][last_column:]
        lines[first_line - 1 : last_line] = [kept]
    return b"".join(lines).decode()
