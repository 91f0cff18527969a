"""Finds Go packages that hold tests for other packages to call, as in `kvtest.Run(t, open)`.

Their files count as tests, although none is called `…_test.go`.
"""

import re

from untildone.core.late_patterns import compile_late
from untildone.worktree.contents import Tree

# func Run(t *testing.T, open func() Store) {
_TEST_PARAMETER = compile_late(r"^func\s[^{\n]*(\*testing\.[TBF]|testing\.TB)\b", re.MULTILINE)


def find_test_packages(tree: Tree) -> frozenset[str]:
    """Return the files of such packages that define a function with a `*testing.T`.

    Only folders named after tests count, as `kvtest`: elsewhere such a function may be part of the
    product, as in a library of assertions.
    """
    sources = (path for path in tree if path.endswith(".go") and not path.endswith("_test.go"))
    helpers = (path for path in sources if "test" in path.lower().rpartition("/")[0])
    return frozenset(path for path in helpers if _TEST_PARAMETER.search(tree.text(path)))
