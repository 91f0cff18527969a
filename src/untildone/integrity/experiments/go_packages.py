"""Go tests that moved to another package together with the code that they test."""

import posixpath
import re

from untildone.integrity.comparison import Comparison
from untildone.integrity.tests.tested_names import find_defined_names
from untildone.worktree.contents import Tree

_CLAUSE = re.compile(r"^package\s+(\w+)", re.M)


def move_to_package(comparison: Comparison, old: str, new: str) -> str | None:
    """Return the baseline's test in its new package; None unless the code it tests moved too."""
    before, after = posixpath.dirname(old), posixpath.dirname(new)
    if before == after or not (old.endswith("_test.go") and new.endswith("_test.go")):
        return None
    text, current = comparison.old.text(old), comparison.new.text(new)
    old_clause, new_clause = _CLAUSE.search(text), _CLAUSE.search(current)
    tested = _list_defined(comparison.old, before).intersection(re.findall(r"\w+", text))
    stayed = tested & _list_defined(comparison.new, before)
    if not tested or stayed or not tested <= _list_defined(comparison.new, after):
        return None
    if old_clause is None or new_clause is None:
        return None
    text = _CLAUSE.sub(new_clause[0], text, count=1)
    own, other = old_clause[1].removesuffix("_test"), new_clause[1].removesuffix("_test")
    imported = re.search(rf'"([^"\n]*)/{re.escape(after)}"', current) if after else None
    if own == old_clause[1] or imported is None:
        return text
    # An external test (`package a_test`) imports the package and uses it by its name.
    old_import = f"{imported[1]}/{before}".rstrip("/")
    text = text.replace(f'"{old_import}"', imported[0])
    return re.sub(rf"\b{own}\.(?=[A-Z])", f"{other}.", text)


def _list_defined(tree: Tree, folder: str) -> frozenset[str]:
    """Return the names that the package defines outside of its tests."""
    sources = (
        path
        for path in tree
        if posixpath.dirname(path) == folder
        and path.endswith(".go")
        and not path.endswith("_test.go")
    )
    return frozenset().union(*(find_defined_names(tree.text(path)) for path in sources))
