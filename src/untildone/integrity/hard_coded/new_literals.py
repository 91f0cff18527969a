"""Literals that a file has now and had not at the start."""

import re
from collections.abc import Mapping

from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.literals import list_literals

# Code that reads documentation or source can take answers from docstrings.
_READS_CODE = re.compile(
    r"__doc__|getdoc|getsource|getcomments|__file__|__code__|co_consts|doctest|\bast\b"
)


def find_new_literals(
    comparison: Comparison, touched: Mapping[str, str]
) -> dict[str, frozenset[str]]:
    """Return the new literals by file; `touched` maps each file to its language."""
    documenting = any(_READS_CODE.search(comparison.new.text(path)) for path in touched)
    found = {}
    for path, language in touched.items():
        before, after = (
            frozenset(list_literals(tree.text(path), language, documenting=documenting))
            for tree in (comparison.old, comparison.new)
        )
        found[path] = after - before
    return found
