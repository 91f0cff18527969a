"""Tests that stand inside of product files: those of the start put into the code of now."""

import re
from collections.abc import Iterator

from ast_grep_py import SgNode, SgRoot

# #[cfg(test)] or #[cfg(all(test, feature = "slow"))]
_FOR_TESTS = re.compile(r"#\[\s*(cfg\s*\(.*\btest\b|test\b|\w+::test\b|bench\b)", re.DOTALL)
_NOT_FOR_TESTS = re.compile(r"\bnot\s*\(\s*test\s*\)")
_ATTRIBUTES = ("attribute_item", "line_comment", "block_comment")


def restore_inline_tests(path: str, start: str, now: str) -> str | None:
    """Now's code with the start's tests; None where it holds them unchanged, or has none."""
    if not path.endswith(".rs") or "test" not in start + now:
        return None
    before, after = ([text for _, text, _ in _items(each)] for each in (start, now))
    # A module in a file of its own: that file is a test, and of now.
    elsewhere = any(name and text.endswith(";") for _, text, name in _items(now))
    if before == after or not (before or elsewhere):
        return None
    names = {name for _, _, name in _items(start) if name}
    parts, end = [], 0
    for (first, last), _, _ in _items(now, also=names):
        parts.append(now[end:first])
        end = last
    code = "".join((*parts, now[end:])).rstrip()
    return "\n\n".join((code, *before)) + "\n"


def extract_inline_tests(text: str) -> str:
    return "\n".join(item for _, item, _ in _items(text)) if "test" in text else ""


def _items(
    text: str, *, also: frozenset[str] | set[str] = frozenset()
) -> list[tuple[tuple[int, int], str, str]]:
    """Where each test item stands with its attributes, its text, and the name of its module."""
    return list(_found(text, also))


def _found(
    text: str, also: frozenset[str] | set[str]
) -> Iterator[tuple[tuple[int, int], str, str]]:
    attributes: list[SgNode] = []
    for node in SgRoot(text, "rust").root().children():
        if node.kind() in _ATTRIBUTES:
            attributes.append(node)
            continue
        said = "".join(each.text() for each in attributes if each.kind() == "attribute_item")
        name = _module(node)
        tested = _FOR_TESTS.search(said) and not _NOT_FOR_TESTS.search(said)
        if tested or (name and name in also):
            first = (attributes or [node])[0].range().start.index
            last = node.range().end.index
            yield (first, last), text[first:last], name
        attributes = []


def _module(node: SgNode) -> str:
    name = node.field("name") if node.kind() == "mod_item" else None
    return name.text() if name else ""
