"""Tests inside of Rust product files: the baseline's put into the current code."""

import re
from collections.abc import Iterator

from ast_grep_py import SgNode

from untildone.syntax.parsing import parse_source

# #[cfg(test)] or #[cfg(all(test, feature = "slow"))]
_FOR_TESTS = re.compile(r"#\[\s*(cfg\s*\(.*\btest\b|test\b|\w+::test\b|bench\b)", re.DOTALL)
_NOT_FOR_TESTS = re.compile(r"\bnot\s*\(\s*test\s*\)")
_ATTRIBUTES = ("attribute_item", "line_comment", "block_comment")


def restore_inline_tests(path: str, start: str, now: str) -> str | None:
    """Return the current code with the baseline's tests; None if they are unchanged or absent."""
    if not path.endswith(".rs") or "test" not in start + now:
        return None
    before, after = ([text for _, text, _ in _list_items(each)] for each in (start, now))
    # A test module in its own file, which the baseline did not have.
    elsewhere = any(name and text.endswith(";") for _, text, name in _list_items(now))
    if before == after or not (before or elsewhere):
        return None
    names = {name for _, _, name in _list_items(start) if name}
    parts, end = [], 0
    for (first, last), _, _ in _list_items(now, also=names):
        parts.append(now[end:first])
        end = last
    code = "".join((*parts, now[end:])).rstrip()
    return "\n\n".join((code, *before)) + "\n"


def extract_inline_tests(text: str) -> str:
    return "\n".join(item for _, item, _ in _list_items(text)) if "test" in text else ""


def _list_items(
    text: str, *, also: frozenset[str] | set[str] = frozenset()
) -> list[tuple[tuple[int, int], str, str]]:
    """Return each test item's range with its attributes, its text and its module's name."""
    return list(_find_items(text, also))


def _find_items(
    text: str, also: frozenset[str] | set[str]
) -> Iterator[tuple[tuple[int, int], str, str]]:
    attributes: list[SgNode] = []
    for node in parse_source(text, "rust").children():
        if node.kind() in _ATTRIBUTES:
            attributes.append(node)
            continue
        said = "".join(each.text() for each in attributes if each.kind() == "attribute_item")
        name = _read_module_name(node)
        tested = _FOR_TESTS.search(said) and not _NOT_FOR_TESTS.search(said)
        if tested or (name and name in also):
            first = (attributes or [node])[0].range().start.index
            last = node.range().end.index
            yield (first, last), text[first:last], name
        attributes = []


def _read_module_name(node: SgNode) -> str:
    name = node.field("name") if node.kind() == "mod_item" else None
    return name.text() if name else ""
