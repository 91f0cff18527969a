"""Examples in documentation that checks run: the baseline's put into the current file.

If the docstring of the baseline says

    >>> total([1, 2])
    3

and the current docstring lacks that example, the sandbox gets the baseline's docstring in the
current code. The same is done for documents with doctests and for Rust's fenced examples.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.syntax.parsing import parse_python

_DOCUMENT_SUFFIXES = (".md", ".rst", ".txt")
_Owner: TypeAlias = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
# pub(crate) async unsafe fn fee
_RUST_ITEM = compile_late(
    r"\s*(?:(?:pub(?:\([^)]*\))?|async|unsafe|const|extern(?:\s+\"\w+\")?|default)\s+)*"
    r"(fn|struct|enum|trait|mod|const|static|type|union|macro_rules!)\s+(\w+)"
)
# An attribute, a comment or a blank line may stand between documentation and its item.
_RUST_BETWEEN = compile_late(r"\s*(#!?\[|//|$)")
_BLANK_LINES = compile_late(r"\n(?:[ \t]*\n)+")


def restore_doc_tests(comparison: Comparison, path: str, current_text: str) -> str | None:
    """Return the current text of the file with the examples of the baseline.

    None if no example is missing, or if no check runs examples.
    """
    old_text = comparison.old.text(path)
    if path.endswith(".rs"):
        return _restore_rust_examples(old_text, current_text) if "```" in old_text else None
    if ">>>" not in old_text:
        return None
    restored = None
    if path.endswith(".py"):
        restored = _restore_docstrings(old_text, current_text)
    elif path.endswith(_DOCUMENT_SUFFIXES) and _misses_examples(old_text, current_text):
        restored = old_text
    return restored if restored is not None and _runs_doctests(comparison) else None


def _runs_doctests(comparison: Comparison) -> bool:
    """Say whether a command, or a test, script or setting of the baseline, asks for doctests."""
    if any("doctest" in command for command in comparison.commands):
        return True
    roles = ("config", "script", "test")
    paths = (path for path in comparison.old if comparison.role(path) in roles)
    return any("doctest" in comparison.old.text(path) for path in paths)


def _misses_examples(old_text: str, new_text: str) -> bool:
    """Say whether the old text has an example that the new one lacks."""
    if _list_paragraphs(old_text) == _list_paragraphs(new_text):
        return False
    return not _parse_examples(old_text) <= _parse_examples(new_text)


def _list_paragraphs(text: str) -> list[str]:
    """Return the paragraphs with examples: each example ends with its paragraph, if not before."""
    return [paragraph for paragraph in _BLANK_LINES.split(text) if ">>>" in paragraph]


def _parse_examples(text: str) -> frozenset[tuple[object, ...]]:
    """Return each example as its source, its expected output and its options."""
    # Imported here because it imports a debugger, and few projects have examples.
    from doctest import DocTestParser

    try:
        examples = DocTestParser().get_examples(text)
    except ValueError:
        # No doctest runs an example that is not well-formed.
        return frozenset()
    return frozenset(
        (example.source, example.want, tuple(sorted(example.options.items())))
        for example in examples
    )


class _Edit(NamedTuple):
    """The bytes of a file from `start` up to, and without, `end`, and what replaces them."""

    start: int
    end: int
    replacement: bytes


def _restore_docstrings(old_text: str, new_text: str) -> str | None:
    """Return the new code with the old docstrings whose examples it lacks; None if none does."""
    old_module, new_module = parse_python(old_text), parse_python(new_text)
    if old_module is None or new_module is None:
        return None
    old_owners, new_owners = dict(_list_owners(old_module)), dict(_list_owners(new_module))
    edits = [
        _make_edit(
            new_text, new_owners[name], ast.get_source_segment(old_text, owner.body[0]) or ""
        )
        for name, owner in old_owners.items()
        if name in new_owners
        and _misses_examples(_read_docstring(owner), _read_docstring(new_owners[name]))
    ]
    code = new_text.encode()
    # From the end, so that the positions of the others stay valid.
    for edit in sorted(edits, reverse=True):
        code = code[: edit.start] + edit.replacement + code[edit.end :]
    return code.decode() if edits else None


def _list_owners(node: ast.AST, name: str = "") -> Iterator[tuple[str, _Owner]]:
    """Yield what may have a docstring by its dotted name, as `.Cart.total`; empty for a module."""
    if isinstance(node, _Owner):
        yield name, node
    for child in ast.iter_child_nodes(node):
        # Most nodes are expressions, which hold no definition.
        if not isinstance(child, ast.expr):
            yield from _list_owners(child, f"{name}.{getattr(child, 'name', '')}".rstrip("."))


def _read_docstring(owner: _Owner) -> str:
    return ast.get_docstring(owner, clean=False) or ""


def _make_edit(text: str, owner: _Owner, docstring: str) -> _Edit:
    """Return the edit that replaces the owner's docstring, or inserts one before its body.

    `docstring` is source text, with its quotes.
    """
    lines = text.encode().splitlines(keepends=True)
    if not owner.body:
        # An empty module.
        return _Edit(0, 0, docstring.encode() + b"\n")
    body = owner.body[0]
    # A decorated function begins at its decorator, whose `@` is one column before the expression.
    first = min((body, *getattr(body, "decorator_list", ())), key=lambda node: node.lineno)
    indent = first.col_offset - (1 if first is not body else 0)
    start = sum(map(len, lines[: first.lineno - 1])) + indent
    if ast.get_docstring(owner, clean=False) is not None:
        end = sum(map(len, lines[: (body.end_lineno or 1) - 1])) + (body.end_col_offset or 0)
        return _Edit(start, end, docstring.encode())
    # `def total(): return 1` has its body on the line of its head.
    is_on_own_line = not lines[first.lineno - 1][:indent].strip()
    separator = "\n" + " " * indent if is_on_own_line else "; "
    return _Edit(start, start, f"{docstring}{separator}".encode())


class _RustDocumentation(NamedTuple):
    """The lines `/// …` of an item, and the number of the first one, or of the item itself.

    Lines are counted from 0.
    """

    lines: list[str]
    first_line: int


def _restore_rust_examples(old_text: str, new_text: str) -> str | None:
    """Return the new code with the old documentation whose examples it lacks; None if none."""
    old_items, new_items = dict(_list_rust_items(old_text)), dict(_list_rust_items(new_text))
    replacements = [
        (new_items[name], old.lines)
        for name, old in old_items.items()
        if name in new_items
        and not _list_fenced_examples(old.lines) <= _list_fenced_examples(new_items[name].lines)
    ]
    lines = new_text.splitlines(keepends=True)
    # From the end, so that the numbers of the other lines stay valid.
    for new, old_lines in sorted(replacements, key=lambda pair: pair[0].first_line, reverse=True):
        lines[new.first_line : new.first_line + len(new.lines)] = old_lines
    return "".join(lines) if replacements else None


def _list_rust_items(text: str) -> Iterator[tuple[str, _RustDocumentation]]:
    """Yield the documentation of items by kind, name and number, as `fn fee 1`.

    The file's own documentation, in lines `//! …`, has an empty name.
    """
    lines = text.splitlines(keepends=True)
    # Numbers of the lines that document the file, and below of those that document the next item.
    of_file = [number for number, line in enumerate(lines) if line.lstrip().startswith("//!")]
    yield "", _RustDocumentation([lines[number] for number in of_file], (*of_file, 0)[0])
    counts: Counter[str] = Counter()
    of_item: list[int] = []
    for number, line in enumerate(lines):
        if line.lstrip().startswith("///"):
            of_item.append(number)
        elif item := _RUST_ITEM.match(line):
            name = " ".join(item.groups())
            counts[name] += 1
            item_lines = [lines[line_number] for line_number in of_item]
            yield f"{name} {counts[name]}", _RustDocumentation(item_lines, (*of_item, number)[0])
            of_item = []
        elif not _RUST_BETWEEN.match(line):
            of_item = []


def _list_fenced_examples(lines: list[str]) -> frozenset[tuple[str, ...]]:
    """Return the lines of each fenced example; the first, as "```no_run", has its options."""
    texts = [re.sub(r"^\s*//[/!] ?", "", line).rstrip() for line in lines]
    fences = [number for number, text in enumerate(texts) if text.startswith("```")]
    return frozenset(
        tuple(texts[first:last]) for first, last in zip(fences[::2], fences[1::2], strict=False)
    )
