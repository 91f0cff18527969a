"""Runs of checks that are remembered, so that a stop of an unchanged tree repeats none of them.

A run is found by its key: what each file of the tree holds, the checks, and what they run in. So
the tree in which every change is approved is known, where the current tree ran before.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.core.contract import Check
from untildone.integrity.comparison import Comparison
from untildone.integrity.environment.facts import find_module_folders, list_program_files
from untildone.integrity.experiments.runs_ahead import RunsAhead
from untildone.integrity.experiments.sandbox_results import SandboxRun
from untildone.sandbox.home_folder import find_user_home, list_lent_entries
from untildone.sandbox.lent_folders import is_dependency, walk_ignored_folders
from untildone.sandbox.sandbox_source import SandboxSource
from untildone.worktree.stamps import read_stamp


class RememberedRun(Struct, frozen=True):
    """A run and its key."""

    key: str
    run: SandboxRun


class RunMemory:
    """Runs of this stop and of the one before, those with the same key in their order.

    A run is repeated to rule out chance: the second request for a key gets the second run.
    """

    def __init__(self, known: Iterable[RememberedRun] = (), ahead: RunsAhead | None = None) -> None:
        self._ahead = ahead
        self._runs: defaultdict[str, list[SandboxRun]] = defaultdict(list)
        for each in known:
            self._runs[each.key].append(each.run)
        # How many runs of each key were requested, in this confirmation and in the whole stop.
        self._requested: defaultdict[str, int] = defaultdict(int)
        self._used: dict[str, None] = {}

    def begin_confirmation(self) -> None:
        """Let every run be requested again: one confirmation may use those of another."""
        self._requested.clear()

    def find(self, *keys: str) -> SandboxRun | None:
        """Return the next run that has one of the keys; None if there is none.

        A run that has begun ahead is waited for.
        """
        for key in keys:
            number = self._requested[key]
            if number < len(self._runs[key]):
                self._requested[key] += 1
                self._used[key] = None
                return self._runs[key][number]
        for key in keys if self._ahead else ():
            if self._ahead and (run := self._ahead.take(key)):
                self.add(key, run)
                return run
        return None

    def knows(self, key: str) -> bool:
        """Say whether there is a run with this key, without a request for it."""
        return bool(self._runs.get(key))

    def add(self, key: str, run: SandboxRun) -> None:
        """Remember a run that was requested and not found, unless it failed by our own fault."""
        if not run.failure:
            self._runs[key].append(run)
            self._requested[key] = len(self._runs[key])
            self._used[key] = None

    def keep_only(self, key: str, run: SandboxRun) -> None:
        """Remember the run as the only one with this key."""
        self._runs[key] = [run]
        self._used[key] = None

    def list_used(self) -> tuple[RememberedRun, ...]:
        """Return the runs whose keys were requested at this stop."""
        return tuple(RememberedRun(key, run) for key in self._used for run in self._runs[key])


def make_key(
    comparison: Comparison,
    files: Mapping[str, Path | str],
    checks: Sequence[Check],
    *surroundings: object,
) -> str:
    """Return the key of a run of the checks on these files."""
    hashed = hashlib.sha256()
    for path, digest in _digest_files(comparison, files):
        hashed.update(f"{path}\0{digest}\n".encode(errors="surrogateescape"))
    hashed.update(msgspec.json.encode((checks, surroundings)))
    return hashed.hexdigest()


def _digest_files(
    comparison: Comparison, files: Mapping[str, Path | str]
) -> Iterator[tuple[str, str]]:
    """Yield each path with its kind and what it holds, as the trees were read."""
    known = comparison.fact(_index_entries)
    for path, origin in sorted(files.items()):
        if isinstance(origin, Path):
            yield path, known[origin]
        else:
            yield path, hashlib.sha256(origin.encode(errors="surrogateescape")).hexdigest()


def _index_entries(comparison: Comparison) -> dict[Path, str]:
    return {
        tree.root / path: f"{entry.kind} {entry.digest}"
        for tree in comparison.trees
        for path, entry in tree.entries.items()
    }


def describe_surroundings(source: SandboxSource, comparison: Comparison) -> tuple[object, ...]:
    """Return what a run in a sandbox depends on besides its files."""
    home = find_user_home(source.environ)
    return (
        source.walls,
        tuple(list_lent_entries(home, since=source.since)),
        sorted(source.baseline_environ.items()),
        sorted(map(str, source.hidden_files)),
        comparison.fact(stamp_dependencies),
    )


def stamp_dependencies(comparison: Comparison) -> tuple[object, ...]:
    """Return stamps of the folders in which installers put packages: they change with these."""
    project, baseline = comparison.new.root, comparison.baseline
    own = (project / path for path in walk_ignored_folders(project, baseline.ignored))
    programs = list_program_files(baseline.surroundings)
    modules = find_module_folders(project, programs, find_user_home(comparison.environ))
    folders = (*filter(is_dependency, own), *modules)
    return tuple((str(folder), read_stamp(folder)) for folder in folders)
