"""What `doctor` can print, read from the source: a pattern for each call that makes a problem."""

import ast
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple, TypeAlias

import untildone

ROOT = Path(untildone.__file__).parent
_LEVELS = {"make_error": "error", "make_note": "note"}
_ANYTHING = ".*?"
Values: TypeAlias = dict[str, list[ast.expr]]


class Message(NamedTuple):
    """Where it is made, and a regular expression that matches it with any names and paths."""

    place: str
    pattern: str


def list_messages() -> list[Message]:
    return [
        message
        for path in sorted(ROOT.rglob("*.py"))
        if path != ROOT / "report" / "doctor.py"
        for message in _read_module(path)
    ]


def _read_module(path: Path) -> Iterator[Message]:
    text = path.read_text(encoding="utf-8")
    if "from untildone.report.doctor import" not in text:
        return
    tree = ast.parse(text)
    made = sum(isinstance(node, ast.Call) and _is_problem(node) for node in ast.walk(tree))
    yielded = [node for node in ast.walk(tree) if isinstance(node, ast.Yield)]
    assert made == sum(_is_problem(node.value) for node in yielded), f"{path}: yield each problem"
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        assignments = [
            node for node in (*tree.body, *ast.walk(function)) if isinstance(node, ast.Assign)
        ]
        for node in (node for node in ast.walk(function) if isinstance(node, ast.Yield)):
            if isinstance(node.value, ast.Call) and _is_problem(node.value):
                place = f"{path.relative_to(ROOT)}:{node.lineno}"
                patterns = _build_patterns(node.value, _find_values(assignments, node))
                yield from (Message(place, pattern) for pattern in patterns)


def _is_problem(node: ast.expr | None) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _LEVELS
    )


def _find_values(assignments: list[ast.Assign], place: ast.Yield) -> Values:
    """Return the values that names can have there: the last one, and what a branch may set."""
    values: Values = {}
    settled = set()
    before = [node for node in assignments if node.lineno < place.lineno]
    for node in sorted(before, key=lambda node: node.lineno, reverse=True):
        name = node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""
        if name not in settled:
            values.setdefault(name, []).append(node.value)
        if node.col_offset <= place.col_offset:
            settled.add(name)
    return values


def _build_patterns(call: ast.Call, names: Values) -> Iterator[str]:
    level = _LEVELS[call.func.id] if isinstance(call.func, ast.Name) else ""
    title, text, *fixes = call.args
    for words in _spell(text, names):
        for fix in _spell(fixes[0], names) if fixes else [""]:
            remedy = rf"(?:\n  fix: {fix})?" if fix in ("", _ANYTHING) else rf"\n  fix: {fix}"
            yield f"{level}: {next(_spell(title, names))}: {words}{remedy}"


def _spell(node: ast.expr, names: Values) -> Iterator[str]:
    """Yield the possible texts of an expression; what is known only at run time is anything."""
    match node:
        case ast.Constant(value=str() as text):
            yield re.escape(text)
        case ast.JoinedStr(values=values):
            yield from map("".join, product(*(tuple(_spell(value, names)) for value in values)))
        case ast.FormattedValue(value=value):
            yield from _spell(value, names)
        case ast.Name(id=name) if name in names:
            for value in names[name]:
                yield from _spell(value, names)
        case ast.IfExp(body=body, orelse=otherwise):
            yield from _spell(body, names)
            yield from _spell(otherwise, names)
        case _:
            yield _ANYTHING
