"""Literals that a changed file did not have in the baseline."""

import re
from collections.abc import Iterable

from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.literals import list_literals, parse_with_json

# Code that reads documentation or source can take answers from docstrings.
_READS_CODE = re.compile(
    r"__doc__|getdoc|getsource|getcomments|__file__|__code__|co_consts|doctest|\bast\b"
)


def find_new_literals(comparison: Comparison, paths: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the new literals by file."""
    paths = tuple(paths)
    docstrings = any(_READS_CODE.search(comparison.new.text(path)) for path in paths)
    found = {}
    for path in paths:
        before, after = (
            frozenset(list_literals(tree.fact(parse_with_json, path), docstrings=docstrings))
            for tree in (comparison.old, comparison.new)
        )
        found[path] = after - before
    return found
