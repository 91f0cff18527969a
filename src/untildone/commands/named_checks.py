"""Package scripts and make targets that are checks by their name, even if no loop runs them."""

import re

from untildone.commands.makefiles import find_makefile, parse_makefile
from untildone.commands.package_scripts import parse_package_scripts
from untildone.worktree.contents import Tree

_CHECK_NAME = re.compile(
    r"test|lint|check|type|verify|cov|^ci$|^build$|audit|format", re.IGNORECASE
)


def find_named_checks(tree: Tree) -> tuple[str, ...]:
    """Return the commands that run them."""
    return tree.fact(_find_commands, "")


def _find_commands(tree: Tree, _path: str) -> tuple[str, ...]:
    scripts = parse_package_scripts(tree.text("package.json"))
    targets = parse_makefile(tree.text(find_makefile(tree))).targets
    named = (*(("npm run", name) for name in scripts), *(("make", name) for name in targets))
    return tuple(f"{runner} {name}" for runner, name in named if _CHECK_NAME.search(name))
