"""Go: packages of tests for others to call, as `kvtest.Run(t, open)`; their files are no tests."""

import re

from untildone.worktree.contents import Tree

_TAKES_A_TEST = re.compile(r"^func\s[^{\n]*(\*testing\.[TBF]|testing\.TB)\b", re.MULTILINE)


def find_test_packages(tree: Tree) -> frozenset[str]:
    """Only in folders that are called so: what else is given a test may be a product of its own."""
    named = (path for path in tree if path.endswith(".go") and _is_in_test_package(path))
    return frozenset(path for path in named if _TAKES_A_TEST.search(tree.text(path)))


def _is_in_test_package(path: str) -> bool:
    *folders, name = path.lower().split("/")
    return not name.endswith("_test.go") and any("test" in folder for folder in folders)
