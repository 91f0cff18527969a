"""The baseline's behaviour behind the current interface: the files of a sandbox.

A test of a new function fails on the baseline's code because the name is missing there, which
shows little. Here every name of the current product exists: functions that the baseline had get
their old bodies, new ones return nothing. A test that fails here checks what the change does.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.current_tests import keep_needed_tests
from untildone.integrity.experiments.rust_inline_tests import find_test_items
from untildone.sandbox.sandbox_source import SandboxFiles
from untildone.syntax.definitions import Definition, read_definitions
from untildone.syntax.empty_returns import empty_function, empty_value
from untildone.syntax.go_imports import blank_unused_imports
from untildone.syntax.languages import language_of_tests
from untildone.worktree.contents import Tree


def compose_previous_behaviour(
    comparison: Comparison, *, empties_changed: bool = False
) -> SandboxFiles:
    """Return the current tree with the baseline's bodies in its product.

    With `empties_changed` changed functions return nothing too: old bodies may not fit new types.
    """
    old, new = comparison.trees
    moved = find_moved_definitions(comparison)
    files: dict[str, Path | str] = {path: new.root / path for path in new}
    for path in (*comparison.changes.edited_or_added, *comparison.changes.moved.values()):
        if comparison.role(path) != "product":
            continue
        if language_of_tests(path):
            before = {each.name: each for each in old.fact(read_definitions, path)}
            files[path] = write_previous_bodies(
                new, path, before=moved | before, empties_changed=empties_changed
            )
        elif path in old:
            # Data of the product, such as a table or a template.
            files[path] = old.root / path
    return keep_needed_tests(comparison, files)


def find_moved_definitions(comparison: Comparison) -> dict[str, Definition]:
    """Return the definitions of changed and removed files of the baseline, by unique names.

    A function that moved to another file has its body there.
    """
    paths = (*comparison.changes.edited_or_removed, *comparison.changes.moved)
    found = [
        definition
        for path in paths
        if comparison.role(path) == "product"
        for definition in comparison.old.fact(read_definitions, path)
    ]
    counts = Counter(definition.name for definition in found)
    return {each.name: each for each in found if counts[each.name] == 1}


def write_previous_bodies(
    tree: Tree, path: str, *, before: dict[str, Definition], empties_changed: bool
) -> str:
    """Return the text of a current file with the bodies that `before` has by name."""
    text, language = tree.text(path), language_of_tests(path)
    for definition in reversed(list(list_product_definitions(tree, path))):
        previous = before.get(definition.name)
        body = choose_body(definition, previous, language, empties_changed=empties_changed)
        text = text[: definition.start] + body + text[definition.end :]
    return blank_unused_imports(text, original=tree.text(path)) if language == "go" else text


def list_product_definitions(tree: Tree, path: str) -> Iterator[Definition]:
    """Yield the definitions of a file without those that are tests inside of it."""
    items = list(find_test_items(tree.text(path))) if path.endswith(".rs") else []
    for definition in tree.fact(read_definitions, path):
        if not any(item.start <= definition.start < item.end for item in items):
            yield definition


def choose_body(
    definition: Definition, previous: Definition | None, language: str, *, empties_changed: bool
) -> str:
    """Return the body to run: the previous one, one that returns nothing, or the current one."""
    if previous and previous.body.split() == definition.body.split():
        return definition.body
    if previous and not definition.is_function:
        return definition.body if previous.is_function else previous.body
    if previous and not empties_changed and _fits(previous, definition, language):
        return previous.body
    is_special = definition.name.rpartition(".")[2].startswith("__")
    if definition.is_function:
        empty = empty_function(definition, language)
    else:
        empty = None if is_special else empty_value(definition.body, language)
    return definition.body if empty is None else empty


def _fits(previous: Definition, current: Definition, language: str) -> bool:
    """Say whether the previous body can replace the current one."""
    if not previous.is_function or previous.is_expression != current.is_expression:
        return False
    # Python's lines of a body must have one indentation.
    return language != "python" or _get_indent(previous) == _get_indent(current)


def _get_indent(definition: Definition) -> str | None:
    """Return the indentation of a Python body; None if it follows its header in one line."""
    _, newline, indent = definition.header.rpartition("\n")
    return indent if newline and not indent.strip() else None
