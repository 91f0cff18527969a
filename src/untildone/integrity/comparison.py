"""The start against now, by syntax: what may have been taken away to make a check pass."""

import hashlib
from collections.abc import Callable, Iterable
from typing import TypeAlias

from msgspec import Struct

from untildone.core.evidence import Concern
from untildone.integrity.outputs import drop_outputs
from untildone.integrity.scripts.check_files import find_check_files
from untildone.integrity.settings.referenced_files import find_referenced_files
from untildone.integrity.tests.contracts import contracts
from untildone.worktree.contents import Changes, Tree, find_changes
from untildone.worktree.roles import Role, classify_file


class Comparison(Struct, frozen=True):
    """Two trees, what differs, and the files that the checks and their settings lead to."""

    old: Tree
    new: Tree
    changes: Changes
    judging: frozenset[str]
    commands: tuple[str, ...] = ()
    # In the person's words: what it names is nobody's invention.
    task: str = ""
    configuring: frozenset[str] = frozenset()
    # Of the start alone: to become one takes nothing from the product.
    testing: frozenset[str] = frozenset()

    def role(self, path: str) -> Role:
        if path in self.judging:
            return "script"
        if path in self.configuring:
            return "config"
        return "test" if path in self.testing else classify_file(path)


FindConcerns: TypeAlias = Callable[[Comparison], Iterable[Concern]]

# The table of them is in `ratchets`, which knows every mechanism; they know only this.


def digest(*values: object) -> str:
    """Of what a loss is about, where that is less than a whole file."""
    return hashlib.sha256(repr(values).encode()).hexdigest()


def compare_trees(old: Tree, new: Tree, commands: Iterable[str], *, task: str = "") -> Comparison:
    asked = tuple(commands)
    new = drop_outputs(old, new, asked)
    judging = frozenset((*find_check_files(old, asked), *find_check_files(new, asked)))
    configuring = find_referenced_files(old) | find_referenced_files(new)
    differ = find_changes(old, new)
    return Comparison(old, new, differ, judging, asked, task, configuring, contracts(old))
