"""Files that changed while checks ran, and which of the checks are to blame for it."""

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from untildone.checks.check_order import find_output_folders
from untildone.commands.programs import find_programs
from untildone.core.contract import Check
from untildone.core.late_patterns import compile_late
from untildone.syntax.languages import language_of
from untildone.words import words
from untildone.worktree.fingerprint import Contents

# The clock of a file system is coarser than that of a program.
_SLACK = 50_000_000
_SHOWN = 3
_OWN_FOLDER = b".untildone"
# They only read, so another check that ran at the same time made the change.
_READERS = words("""
    mypy dmypy pyright basedpyright ty pyrefly flake8 pylint bandit ruff black isort eslint prettier
    biome oxlint stylelint shellcheck golangci-lint staticcheck svelte-check vue-tsc
""")
# Folders with reports: git may not ignore them, and every run writes them anew.
_REPORTS = compile_late(r"(?i).*(cov|report|result|snapshot).*|dist|build|out|target|gen|\..*")
# Text that reports consist of.
_REPORT_LANGUAGES = words("html css yaml")
# Build tools bring them up to date with the manifest, which is what the agent edits.
_LOCK_FILES = words("""
    Cargo.lock package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb
    uv.lock poetry.lock pdm.lock Pipfile.lock go.sum gradle.lockfile Gemfile.lock
    composer.lock packages.lock.json mix.lock Package.resolved deno.lock flake.lock
""")


class CheckedTree(Struct, frozen=True, kw_only=True):
    """The tree before and after a run, and when each check ran, in nanoseconds since 1970."""

    project: Path
    before: Contents
    after: Contents
    spans: Mapping[int, tuple[int, int]]

    @property
    def edited(self) -> tuple[bytes, ...]:
        """The files that a check must leave as they are, and that were changed or removed.

        These are the files that git tracks, and other source files. A run may add files, change
        its own, such as coverage data, and bring a lock file up to date.
        """
        old, new = self.before.files, self.after.files
        return tuple(
            path
            for path in sorted(old)
            if old[path] != new.get(path, b"") and self._must_stay(path)
        )

    def _must_stay(self, path: bytes) -> bool:
        *folders, name = path.split(b"/")
        if _OWN_FOLDER in folders or os.fsdecode(name) in _LOCK_FILES:
            return False
        return path in self.before.tracked or _is_source(os.fsdecode(path))


def blame_checks(checks: Sequence[Check], tree: CheckedTree) -> dict[int, str]:
    """Return by index of the check the reason why its result is no evidence: what it changed."""
    blamed: dict[int, list[str]] = defaultdict(list)
    for path in tree.edited:
        file = tree.after.root / os.fsdecode(path)
        for index in _find_suspects(file, checks, tree):
            blamed[index].append(os.path.relpath(file, tree.project))
    return {
        index: f"it changed the files it judged: {_list_files(files)}"
        for index, files in blamed.items()
    }


def describe_change(tree: CheckedTree) -> str:
    """Return why results of a tree that keeps changing are no evidence."""
    files = [os.path.relpath(tree.after.root / os.fsdecode(p), tree.project) for p in tree.edited]
    return f"files changed while it ran: {_list_files(files)}"


def _list_files(files: Sequence[str]) -> str:
    shown = ", ".join(f"`{file}`" for file in files[:_SHOWN])
    return f"{shown} and {len(files) - _SHOWN} more" if len(files) > _SHOWN else shown


def _find_suspects(file: Path, checks: Sequence[Check], tree: CheckedTree) -> list[int]:
    """Return the checks that ran when the file was last changed; no build, if it is its output."""
    changed = _read_change_time(file)
    running = [
        index
        for index, (start, end) in tree.spans.items()
        if not changed or start - _SLACK <= changed <= end + _SLACK
    ]
    running = [index for index in running if not _is_output(file, checks[index], tree.project)]
    writers = [index for index in running if not _only_reads(checks[index])]
    return writers or running


def _read_change_time(file: Path) -> int:
    """Return when the file was changed, or removed from its folder; 0 if even that is gone."""
    for path in (file, file.parent):
        with suppress(OSError):
            # No program can set this time, unlike that of the last modification.
            return path.lstat().st_ctime_ns
    return 0


def _is_output(file: Path, check: Check, project: Path) -> bool:
    return any(file.is_relative_to(folder) for folder in find_output_folders(check, project))


def _only_reads(check: Check) -> bool:
    programs = find_programs(check.command)
    return bool(programs) and _READERS.issuperset(programs)


def _is_source(path: str) -> bool:
    *folders, name = path.split("/")
    language = language_of(name)
    is_report = language in _REPORT_LANGUAGES or any(map(_REPORTS.fullmatch, folders))
    return bool(language) and not is_report
