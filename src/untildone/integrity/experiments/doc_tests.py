"""Examples in documentation that checks run: the baseline's put into the current code."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from untildone.integrity.comparison import Comparison
from untildone.syntax.parsing import parse_python

_DOCUMENTS = (".md", ".rst", ".txt")
_Owner: TypeAlias = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# pub(crate) async unsafe fn fee
_RUST_ITEM = re.compile(
    r"\s*(?:(?:pub(?:\([^)]*\))?|async|unsafe|const|extern(?:\s+\"\w+\")?|default)\s+)*"
    r"(fn|struct|enum|trait|mod|const|static|type|union|macro_rules!)\s+(\w+)"
)
_RUST_BETWEEN = re.compile(r"\s*(#!?\[|//|$)")


def restore_examples(comparison: Comparison, path: str, now: str) -> str | None:
    """Return the text with the baseline's examples; None if none is missing or none is run."""
    old = comparison.old.text(path)
    if path.endswith(".rs"):
        return _restore_rust_examples(old, now) if "```" in old else None
    if ">>>" not in old:
        return None
    restored = None
    if path.endswith(".py"):
        restored = _restore_docstrings(old, now)
    elif path.endswith(_DOCUMENTS) and _misses_examples(old, now):
        restored = old
    return restored if restored is not None and _runs_doctests(comparison) else None


def _runs_doctests(comparison: Comparison) -> bool:
    """Whether a command or a file that steers the tests asks for doctests."""
    if any("doctest" in command for command in comparison.commands):
        return True
    roles = ("config", "script", "test")
    judging = (path for path in comparison.old if comparison.role(path) in roles)
    return any("doctest" in comparison.old.text(path) for path in judging)


def _misses_examples(start: str, now: str) -> bool:
    return not _parse_examples(start) <= _parse_examples(now)


def _parse_examples(text: str) -> frozenset[tuple[object, ...]]:
    # Imported here because it imports a debugger, and few projects have examples.
    from doctest import DocTestParser

    try:
        found = DocTestParser().get_examples(text)
    except ValueError:
        # No doctest runs an example that is not well-formed.
        return frozenset()
    return frozenset(
        (each.source, each.want, tuple(sorted(each.options.items()))) for each in found
    )


class _Edit(NamedTuple):
    first: int
    last: int
    text: bytes


def _restore_docstrings(start: str, now: str) -> str | None:
    old, new = parse_python(start), parse_python(now)
    if old is None or new is None:
        return None
    before, after = dict(_list_owners(old)), dict(_list_owners(new))
    edits = [
        _make_edit(now, after[name], ast.get_source_segment(start, owner.body[0]) or "")
        for name, owner in before.items()
        if name in after and _misses_examples(_read_docstring(owner), _read_docstring(after[name]))
    ]
    text = now.encode()
    for edit in sorted(edits, reverse=True):
        text = text[: edit.first] + edit.text + text[edit.last :]
    return text.decode() if edits else None


def _list_owners(node: ast.AST, name: str = "") -> Iterator[tuple[str, _Owner]]:
    if isinstance(node, _DOCUMENTED):
        yield name, node
    for child in ast.iter_child_nodes(node):
        yield from _list_owners(child, f"{name}.{getattr(child, 'name', '')}".rstrip("."))


def _read_docstring(owner: _Owner) -> str:
    return ast.get_docstring(owner, clean=False) or ""


def _make_edit(now: str, owner: _Owner, document: str) -> _Edit:
    """Replace the current docstring, or insert one before the body."""
    lines = now.encode().splitlines(keepends=True)
    if not owner.body:
        return _Edit(0, 0, document.encode() + b"\n")
    body = owner.body[0]
    first = min((body, *getattr(body, "decorator_list", ())), key=lambda node: node.lineno)
    indent = first.col_offset - (1 if first is not body else 0)
    begin = sum(map(len, lines[: first.lineno - 1])) + indent
    if ast.get_docstring(owner, clean=False) is not None:
        end = sum(map(len, lines[: (body.end_lineno or 1) - 1])) + (body.end_col_offset or 0)
        return _Edit(begin, end, document.encode())
    alone = not lines[first.lineno - 1][:indent].strip()
    return _Edit(begin, begin, f"{document}{chr(10) + ' ' * indent if alone else '; '}".encode())


class _Item(NamedTuple):
    """Lines of documentation, and the line at which they stand or would stand."""

    lines: list[str]
    first: int


def _restore_rust_examples(start: str, now: str) -> str | None:
    before, after = dict(_list_rust_items(start)), dict(_list_rust_items(now))
    changed = [
        (after[name], item.lines)
        for name, item in before.items()
        if name in after and not _read_fenced(item.lines) <= _read_fenced(after[name].lines)
    ]
    lines = now.splitlines(keepends=True)
    for item, document in sorted(changed, key=lambda each: each[0].first, reverse=True):
        lines[item.first : item.first + len(item.lines)] = document
    return "".join(lines) if changed else None


def _list_rust_items(text: str) -> Iterator[tuple[str, _Item]]:
    """Yield items by kind and name; the documentation of the file has an empty name."""
    lines = text.splitlines(keepends=True)
    inner = [at for at, line in enumerate(lines) if line.lstrip().startswith("//!")]
    yield "", _Item([lines[at] for at in inner], inner[0] if inner else 0)
    seen: Counter[str] = Counter()
    outer: list[int] = []
    for at, line in enumerate(lines):
        if line.lstrip().startswith("///"):
            outer.append(at)
        elif found := _RUST_ITEM.match(line):
            name = " ".join(found.groups())
            seen[name] += 1
            yield f"{name} {seen[name]}", _Item([lines[each] for each in outer], (*outer, at)[0])
            outer = []
        elif not _RUST_BETWEEN.match(line):
            outer = []


def _read_fenced(lines: list[str]) -> frozenset[tuple[str, ...]]:
    """Return the fenced examples, each with the options it is run with."""
    plain = [re.sub(r"^\s*//[/!] ?", "", line).rstrip() for line in lines]
    fences = [at for at, line in enumerate(plain) if line.startswith("```")]
    return frozenset(
        tuple(plain[first:last]) for first, last in zip(fences[::2], fences[1::2], strict=False)
    )
