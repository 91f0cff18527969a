"""Tests inside of Rust product files: the baseline's put into the current code.

The sandbox gets `src/lib.rs` with the current functions and the baseline's

    #[cfg(test)]
    mod tests { ... }
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ast_grep_py import SgNode

from untildone.core.late_patterns import compile_late
from untildone.syntax.parsing import parse_source

# #[cfg(test)] or #[cfg(all(test, feature = "slow"))]
_TEST_ATTRIBUTE = compile_late(r"#\[\s*(cfg\s*\(.*\btest\b|test\b|\w+::test\b|bench\b)", re.DOTALL)
# #[cfg(not(test))]
_PRODUCT_ATTRIBUTE = compile_late(r"\bnot\s*\(\s*test\s*\)")
# Syntax nodes that stand before an item and belong to it.
_LEADING_KINDS = ("attribute_item", "line_comment", "block_comment")


class _TestItem(NamedTuple):
    """A function or module for tests at the top of a file, with its attributes and comments."""

    # Positions in the file's text; `end` is behind the last character.
    start: int
    end: int
    text: str
    # The module's name; empty for a function.
    module: str


def restore_inline_tests(path: str, old: str, new: str) -> str | None:
    """Return the current code with the baseline's tests; None if they are unchanged or absent.

    `old` and `new` are the texts of the file `path`.
    """
    if not path.endswith(".rs") or "test" not in old + new:
        return None
    old_items, new_items = list(find_test_items(old)), list(find_test_items(new))
    old_texts = [item.text for item in old_items]
    if old_texts == [item.text for item in new_items]:
        return None
    # `#[cfg(test)] mod tests;`: the tests are in a new file, which the sandbox does not have.
    has_test_file = any(item.module and item.text.endswith(";") for item in new_items)
    if not old_texts and not has_test_file:
        return None
    # A current module of the same name would be defined twice, also if it is not for tests.
    code = _remove_test_items(new, modules={item.module for item in old_items})
    return "\n\n".join((code.rstrip(), *old_texts)) + "\n"


def _remove_test_items(text: str, *, modules: Collection[str]) -> str:
    """Return the code without its tests, and without modules of these names."""
    parts, end = [], 0
    for item in find_test_items(text, modules=modules):
        parts.append(text[end : item.start])
        end = item.end
    return "".join((*parts, text[end:]))


def extract_inline_tests(text: str) -> str:
    """Return the text of the tests in a Rust file alone; empty if it has none."""
    return "\n".join(item.text for item in find_test_items(text)) if "test" in text else ""


def find_test_items(text: str, *, modules: Collection[str] = ()) -> Iterator[_TestItem]:
    """Yield the items that are compiled for tests only, and modules of these names."""
    leading: list[SgNode] = []
    for node in parse_source(text, "rust").children():
        if node.kind() in _LEADING_KINDS:
            leading.append(node)
            continue
        attributes = "".join(part.text() for part in leading if part.kind() == "attribute_item")
        is_test = _TEST_ATTRIBUTE.search(attributes) and not _PRODUCT_ATTRIBUTE.search(attributes)
        name = node.field("name") if node.kind() == "mod_item" else None
        module = name.text() if name is not None else ""
        if is_test or (module and module in modules):
            start, end = (leading or [node])[0].range().start.index, node.range().end.index
            yield _TestItem(start, end, text[start:end], module)
        leading = []
