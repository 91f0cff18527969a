"""Scripts that are somebody's check by their name, whether this loop runs them or not."""

import re
from collections.abc import Iterator

from untildone.integrity.scripts.followed import makefile, package_scripts
from untildone.integrity.scripts.make import read
from untildone.worktree.contents import Tree

_CHECKING = re.compile(r"test|lint|check|type|verify|cov|^ci$|^build$|audit|format", re.IGNORECASE)


def checking(tree: Tree) -> Iterator[str]:
    """The commands that run them."""
    scripts = package_scripts(tree.text("package.json"))
    yield from (f"npm run {name}" for name in scripts if _CHECKING.search(name))
    if path := makefile(tree):
        targets = read(tree.text(path)).targets
        yield from (f"make {name}" for name in targets if _CHECKING.search(name))
