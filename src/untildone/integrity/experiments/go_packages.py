"""Go tests that moved to another package together with the code that they test."""

import re
from collections.abc import Iterator

from untildone.integrity.comparison import Comparison
from untildone.integrity.tests.tested_names import find_defined_names
from untildone.worktree.contents import Tree

_CLAUSE = re.compile(r"^package\s+(\w+)", re.M)


def move_to_package(comparison: Comparison, old: str, new: str) -> str | None:
    """Return the baseline's test in its new package; None unless the code it tests moved too."""
    before, after = old.rpartition("/")[0], new.rpartition("/")[0]
    if before == after or not (old.endswith("_test.go") and new.endswith("_test.go")):
        return None
    text, clause = comparison.old.text(old), _CLAUSE.search(comparison.new.text(new))
    was = _CLAUSE.search(text)
    words = frozenset(re.findall(r"\w+", text))
    about = words & _list_defined(comparison.old, before)
    left = about and not about & _list_defined(comparison.new, before)
    if (
        was is None
        or clause is None
        or not left
        or not about <= _list_defined(comparison.new, after)
    ):
        return None
    text = _CLAUSE.sub(clause[0], text, count=1)
    return _rename_import(
        text, comparison.new.text(new), names=(was[1], clause[1]), places=(before, after)
    )


def _rename_import(text: str, new: str, *, names: tuple[str, str], places: tuple[str, str]) -> str:
    """Rename the package that an external test (`package a_test`) imports and uses."""
    own, other = (name.removesuffix("_test") for name in names)
    imported = re.search(rf'"([^"\n]*)/{re.escape(places[1])}"', new) if places[1] else None
    if own == names[0] or imported is None:
        return text
    before = f"{imported[1]}/{places[0]}".rstrip("/")
    return re.sub(rf"\b{own}\.(?=[A-Z])", f"{other}.", text.replace(f'"{before}"', imported[0]))


def _list_defined(tree: Tree, folder: str) -> frozenset[str]:
    """Return the names that the package defines outside of its tests."""
    return frozenset().union(*(find_defined_names(text) for text in _list_sources(tree, folder)))


def _list_sources(tree: Tree, folder: str) -> Iterator[str]:
    inside = (path for path in tree if path.rpartition("/")[0] == folder and path.endswith(".go"))
    return (tree.text(path) for path in inside if not path.endswith("_test.go"))
