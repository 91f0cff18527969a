"""What `doctor` can print, read from the source: a pattern for each call that makes a problem."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import untildone

ROOT = Path(untildone.__file__).parent
_LEVELS = {"make_error": "error", "make_note": "note"}
_ANYTHING = ".*?"


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
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if not _imports_doctor(tree):
        return
    constants = _read_assignments(tree.body)
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        names = {**constants, **_read_assignments(list(ast.walk(function)))}
        for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Name) and call.func.id in _LEVELS:
                place = f"{path.relative_to(ROOT)}:{call.lineno}"
                yield from (Message(place, pattern) for pattern in _build_patterns(call, names))


def _imports_doctor(tree: ast.Module) -> bool:
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return any(node.module == "untildone.report.doctor" for node in imports)


def _read_assignments(nodes: list[ast.stmt] | list[ast.AST]) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return found


def _build_patterns(call: ast.Call, names: dict[str, list[ast.expr]]) -> Iterator[str]:
    level = _LEVELS[call.func.id] if isinstance(call.func, ast.Name) else ""
    title, text, *fixes = call.args
    for words in _spell(text, names):
        for fix in _spell(fixes[0], names) if fixes else [""]:
            remedy = rf"(?:\n  fix: {fix})?" if fix in ("", _ANYTHING) else rf"\n  fix: {fix}"
            yield f"{level}: {next(_spell(title, names))}: {words}{remedy}"


def _spell(node: ast.expr, names: dict[str, list[ast.expr]]) -> Iterator[str]:
    """Yield the possible texts of an expression; what is known only at run time is anything."""
    match node:
        case ast.Constant(value=str() as text):
            yield re.escape(text)
        case ast.JoinedStr():
            yield "".join(next(_spell(value, names)) for value in node.values)
        case ast.FormattedValue(value=ast.Name(id=name)) if len(names.get(name, ())) == 1:
            yield next(_spell(names[name][0], names))
        case ast.Name(id=name) if name in names:
            for value in names[name]:
                yield from _spell(value, names)
        case ast.IfExp():
            yield from _spell(node.body, names)
            yield from _spell(node.orelse, names)
        case _:
            yield _ANYTHING
