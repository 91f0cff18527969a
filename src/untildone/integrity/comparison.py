"""What the comparisons of this package work on: two trees, and what is known of the checks.

Each of them takes one `Comparison` and yields concerns, for example that a test is gone.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct, field

from untildone.core import concerns
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.baseline import Baseline
from untildone.integrity.outputs import drop_outputs
from untildone.integrity.scripts.deciding_files import find_deciding_files
from untildone.integrity.settings.referenced_files import find_referenced_files
from untildone.integrity.tests.go_test_packages import find_test_packages
from untildone.worktree.contents import Changes, Tree, find_changes
from untildone.worktree.roles import Role, classify_file

T = TypeVar("T")
_EMPTY: Mapping[str, str] = MappingProxyType({})


class Comparison(Struct, frozen=True, kw_only=True):
    """The baseline (`old`) and the current tree (`new`), and what is known of the checks."""

    old: Tree
    new: Tree
    changes: Changes
    # The commands of the checks.
    commands: tuple[str, ...] = ()
    # What the user asked for, in their words. A value that it names is no hard-coded answer.
    task: str = ""
    # Scripts that the checks run, and data that decides them.
    deciding_files: frozenset[str]
    # Files that the settings of tools refer to.
    settings_files: frozenset[str] = frozenset()
    # Files of Go packages such as `kvtest` that hold tests for others to call, in the baseline: an
    # edit does not turn a product file into a test.
    go_test_helpers: frozenset[str] = frozenset()
    # The record of the baseline, and the environment that the checks run in.
    baseline: Baseline = Baseline(entries={})
    environ: Mapping[str, str] = _EMPTY
    # What `fact` computed, by function.
    _facts: dict[object, Any] = field(default_factory=dict)

    @property
    def trees(self) -> tuple[Tree, Tree]:
        """The baseline and the current tree."""
        return self.old, self.new

    def role(self, path: str) -> Role:
        """Return what the file is for: a file that checks run or read is no product."""
        if path in self.deciding_files:
            return "script"
        if path in self.settings_files:
            return "config"
        return "test" if path in self.go_test_helpers else classify_file(path)

    def fact(self, compute: Callable[["Comparison"], T]) -> T:
        """Return what `compute(comparison)` gives, computed at most once."""
        if compute not in self._facts:
            self._facts[compute] = compute(self)
        fact: T = self._facts[compute]
        return fact

    def make_concern(
        self, kind: ConcernKind, path: str, detail: str = "", *, reason: str
    ) -> Concern:
        """Return a concern about the file; an approval of it ends when the file changes again."""
        entry = self.new.entries.get(path)
        content = entry.digest if entry else ""
        return concerns.make_concern(kind, path, detail, reason=reason, content=content)


FindConcerns: TypeAlias = Callable[[Comparison], Iterable[Concern]]


def hash_values(*values: object) -> str:
    """Return a hash of values, which identifies what a concern is about if that is no file."""
    return hashlib.sha256(repr(values).encode()).hexdigest()


def compare_trees(
    old: Tree,
    new: Tree,
    commands: Iterable[str],
    *,
    task: str = "",
    baseline: Baseline | None = None,
    environ: Mapping[str, str] = _EMPTY,
) -> Comparison:
    """Return the comparison, without build output that nothing uses in the current tree."""
    commands = tuple(commands)
    new = drop_outputs(old, new, commands)
    return Comparison(
        old=old,
        new=new,
        changes=find_changes(old, new),
        commands=commands,
        task=task,
        deciding_files=frozenset(
            (*find_deciding_files(old, commands), *find_deciding_files(new, commands))
        ),
        settings_files=find_referenced_files(old) | find_referenced_files(new),
        go_test_helpers=find_test_packages(old),
        baseline=baseline or Baseline(entries={}),
        environ=environ,
    )
