"""Tests inside of Rust product files: the baseline's put into the current code."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ast_grep_py import SgNode

from untildone.syntax.parsing import parse_source

# #[cfg(test)] or #[cfg(all(test, feature = "slow"))]
_FOR_TESTS = re.compile(r"#\[\s*(cfg\s*\(.*\btest\b|test\b|\w+::test\b|bench\b)", re.DOTALL)
_NOT_FOR_TESTS = re.compile(r"\bnot\s*\(\s*test\s*\)")
_ATTRIBUTES = ("attribute_item", "line_comment", "block_comment")


class _Item(NamedTuple):
    """A test item with its attributes: its range in the file, its text and its module's name."""

    first: int
    last: int
    text: str
    module: str


def restore_inline_tests(path: str, old: str, new: str) -> str | None:
    """Return the current code with the baseline's tests; None if they are unchanged or absent."""
    if not path.endswith(".rs") or "test" not in old + new:
        return None
    before, after = list(_find_items(old)), list(_find_items(new))
    # A test module in its own file, which the baseline did not have.
    is_elsewhere = any(item.module and item.text.endswith(";") for item in after)
    texts = [item.text for item in before]
    if texts == [item.text for item in after] or not (texts or is_elsewhere):
        return None
    parts, end = [], 0
    for item in _find_items(new, modules={item.module for item in before}):
        parts.append(new[end : item.first])
        end = item.last
    code = "".join((*parts, new[end:])).rstrip()
    return "\n\n".join((code, *texts)) + "\n"


def extract_inline_tests(text: str) -> str:
    return "\n".join(item.text for item in _find_items(text)) if "test" in text else ""


def _find_items(text: str, *, modules: Collection[str] = ()) -> Iterator[_Item]:
    """Yield the test items, and also modules of these names."""
    attributes: list[SgNode] = []
    for node in parse_source(text, "rust").children():
        if node.kind() in _ATTRIBUTES:
            attributes.append(node)
            continue
        written = "".join(each.text() for each in attributes if each.kind() == "attribute_item")
        is_test = _FOR_TESTS.search(written) and not _NOT_FOR_TESTS.search(written)
        name = node.field("name") if node.kind() == "mod_item" else None
        module = name.text() if name is not None else ""
        if is_test or (module and module in modules):
            first, last = (attributes or [node])[0].range().start.index, node.range().end.index
            yield _Item(first, last, text[first:last], module)
        attributes = []
