"""Go tests that moved to another package together with the code that they test.

If `money/money.go` and `money/money_test.go` moved to `internal/cash/`, the baseline's test is
rewritten from `package money` to `package cash`, so that it can be compared with the current one.
"""

import posixpath
import re

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.tests.tested_names import find_defined_names
from untildone.worktree.contents import Tree

_PACKAGE_CLAUSE = compile_late(r"^package\s+(\w+)", re.M)


def move_to_package(comparison: Comparison, old: str, new: str) -> str | None:
    """Return the baseline's test `old` as it would be in the package of the current test `new`.

    None if the files are no Go tests of two packages, or if the code that the test uses did not
    move from the one package to the other.
    """
    old_folder, new_folder = posixpath.dirname(old), posixpath.dirname(new)
    if old_folder == new_folder or not (old.endswith("_test.go") and new.endswith("_test.go")):
        return None
    text, new_text = comparison.old.text(old), comparison.new.text(new)
    old_clause, new_clause = _PACKAGE_CLAUSE.search(text), _PACKAGE_CLAUSE.search(new_text)
    if old_clause is None or new_clause is None:
        return None
    if not _has_moved(comparison, text, old_folder=old_folder, new_folder=new_folder):
        return None
    text = _PACKAGE_CLAUSE.sub(new_clause[0], text, count=1)
    is_external = old_clause[1].endswith("_test")
    # "example.com/shop/internal/cash"
    new_import = re.search(rf'"([^"\n]*)/{re.escape(new_folder)}"', new_text)
    if not is_external or not new_folder or new_import is None:
        return text
    # An external test (`package money_test`) imports the package and uses it by its name.
    old_import = f"{new_import[1]}/{old_folder}".rstrip("/")
    text = text.replace(f'"{old_import}"', new_import[0])
    old_name, new_name = (clause[1].removesuffix("_test") for clause in (old_clause, new_clause))
    return re.sub(rf"\b{old_name}\.(?=[A-Z])", f"{new_name}.", text)


def _has_moved(comparison: Comparison, test: str, *, old_folder: str, new_folder: str) -> bool:
    """Say whether all names of the old package that the test uses are in the new one instead."""
    used = _list_defined_names(comparison.old, old_folder).intersection(re.findall(r"\w+", test))
    remaining = used & _list_defined_names(comparison.new, old_folder)
    return bool(used) and not remaining and used <= _list_defined_names(comparison.new, new_folder)


def _list_defined_names(tree: Tree, folder: str) -> frozenset[str]:
    """Return the names that the package in the folder defines outside of its tests."""
    sources = (
        path
        for path in tree
        if posixpath.dirname(path) == folder
        and path.endswith(".go")
        and not path.endswith("_test.go")
    )
    return frozenset().union(*(find_defined_names(tree.text(path)) for path in sources))
