"""What the comparisons of this package work on: two trees, and what is known of the checks.

Each of them takes one `Comparison` and yields concerns, for example that a test is gone.
"""

import gc
import hashlib
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from untildone.core import concerns
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.baseline import Baseline
from untildone.integrity.environment.dependency_digests import DependencyDigests
from untildone.integrity.outputs import drop_outputs
from untildone.integrity.scripts.deciding_files import find_deciding_files, find_judged_plans
from untildone.integrity.settings.referenced_files import find_referenced_files
from untildone.integrity.tests.go_test_packages import find_test_packages
from untildone.syntax.parsing import forget_parsed
from untildone.worktree.contents import READABLE, Changes, Tree, find_changes
from untildone.worktree.limits import Budget, FileTooCostly, LimitExceeded
from untildone.worktree.roles import Role, classify_file

T = TypeVar("T")
_EMPTY: Mapping[str, str] = MappingProxyType({})
# The part of the budget to find out which files the checks run and read.
_ROLES_SHARE = 0.2


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
    # Plans that a check judges: they are the work, wherever they lie.
    judged_plans: frozenset[str] = frozenset()
    # The record of the baseline, and the environment that the checks run in.
    baseline: Baseline = Baseline(entries={})
    environ: Mapping[str, str] = _EMPTY
    # Contents of installed packages in the baseline.
    dependency_digests: DependencyDigests = DependencyDigests()
    # What reading and comparing may take, in all of this comparison.
    budget: Budget = field(default_factory=Budget)
    # By path: why a changed file is not compared, as a verb phrase: "is larger than 4 MB".
    unread: dict[str, str] = field(default_factory=dict)
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
        if path in self.judged_plans:
            return "product"
        if path in self.settings_files:
            return "config"
        return "test" if path in self.go_test_helpers else classify_file(path)

    def fact(self, compute: Callable[["Comparison"], T], *, key: object = None) -> T:
        """Return what `compute(comparison)` gives, computed at most once for it or its `key`."""
        key = key or compute
        if key not in self._facts:
            self._facts[key] = compute(self)
        fact: T = self._facts[key]
        return fact

    def forget_facts(self, *keys: object) -> None:
        """Let these facts be computed again, as they are about what is outside of the trees."""
        for key in keys:
            self._facts.pop(key, None)

    def read_within_budget(self, compute: Callable[["Comparison"], T], *, share: float = 1.0) -> T:
        """Return `compute(comparison)`, without the files that take too much by themselves.

        Raise LimitExceeded if this share of the budget, with what was used before, is not enough.
        Whatever parses or compares files is called this way, so that no file can take long.
        """
        while True:
            try:
                with self.budget.use(share=share):
                    return compute(self)
            except FileTooCostly as error:
                path, why = error.path, error.reason
            except (RecursionError, MemoryError) as error:
                path, why = self.budget.path, f"is too much to parse ({type(error).__name__})"
            if not path or path in self.old.unread:
                raise LimitExceeded(f"it {why}", path)
            self.leave_unread(path, why)
            forget_parsed()
            gc.collect()

    def leave_unread(self, path: str, why: str) -> None:
        """Read the file no longer in either tree; what was computed with it is forgotten."""
        self.unread[path] = why
        self.budget.leave_unread(path)
        self._facts.clear()
        for tree in self.trees:
            tree.leave_unread(path, why)

    def leave_rest_unread(self, why: str) -> None:
        """List every changed file as unread: it is not known which of them were compared."""
        for path in self.changes.list_paths():
            self.unread.setdefault(path, why)

    def reverse(self) -> "Comparison":
        """Return the comparison the other way round, as if the current tree were the baseline."""
        changes = Changes(
            added=self.changes.removed,
            removed=self.changes.added,
            edited=self.changes.edited,
            moved={new: old for old, new in self.changes.moved.items()},
        )
        return replace(self, old=self.new, new=self.old, changes=changes, _facts={})

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
    dependency_digests: DependencyDigests | None = None,
) -> Comparison:
    """Return the comparison, without build output that nothing uses in the current tree."""
    comparison = Comparison(
        old=old,
        new=new,
        changes=find_changes(old, new),
        commands=tuple(commands),
        task=task,
        deciding_files=frozenset(),
        baseline=baseline or Baseline(entries={}),
        environ=environ,
        dependency_digests=dependency_digests or DependencyDigests(),
    )
    for path in comparison.changes.list_paths():
        if any(_is_too_large(tree, path) for tree in comparison.trees):
            comparison.leave_unread(path, f"is larger than {READABLE // 1_000_000} MB")
    try:
        return comparison.read_within_budget(_add_roles, share=_ROLES_SHARE)
    except LimitExceeded as error:
        comparison.leave_rest_unread(f"is not compared, since {error.reason}")
        return comparison


def _is_too_large(tree: Tree, path: str) -> bool:
    entry = tree.entries.get(path)
    return entry is not None and entry.kind != "link" and entry.size > READABLE


def _add_roles(comparison: Comparison) -> Comparison:
    """Return the comparison without unused output, and with the files that the checks use."""
    old, commands = comparison.old, comparison.commands
    new = drop_outputs(old, comparison.new, commands)
    for path, why in comparison.unread.items():
        new.leave_unread(path, why)
    return replace(
        comparison,
        new=new,
        changes=find_changes(old, new),
        deciding_files=frozenset(
            (*find_deciding_files(old, commands), *find_deciding_files(new, commands))
        ),
        settings_files=find_referenced_files(old) | find_referenced_files(new),
        go_test_helpers=find_test_packages(old),
        judged_plans=find_judged_plans(commands),
    )
