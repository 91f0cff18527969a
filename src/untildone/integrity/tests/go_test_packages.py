"""Go packages that hold tests for other packages to call, as in `kvtest.Run(t, open)`."""

import re

from untildone.worktree.contents import Tree

_TAKES_A_TEST = re.compile(r"^func\s[^{\n]*(\*testing\.[TBF]|testing\.TB)\b", re.MULTILINE)


def find_test_packages(tree: Tree) -> frozenset[str]:
    """Return the files of such packages.

    Only folders named after tests count: elsewhere a function that takes a `*testing.T` may be
    part of the product.
    """
    named = (path for path in tree if path.endswith(".go") and _is_in_test_package(path))
    return frozenset(path for path in named if _TAKES_A_TEST.search(tree.text(path)))


def _is_in_test_package(path: str) -> bool:
    *folders, name = path.lower().split("/")
    return not name.endswith("_test.go") and any("test" in folder for folder in folders)
