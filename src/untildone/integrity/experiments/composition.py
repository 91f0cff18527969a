"""The files of a sandbox: tests and settings of the baseline, the current product."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.baseline_scripts import restore_scripts
from untildone.integrity.experiments.doc_tests import restore_examples
from untildone.integrity.experiments.inline_tests import restore_inline_tests
from untildone.sandbox.sandboxes import SandboxFiles

UsesCurrent: TypeAlias = Callable[[str], bool]


def compose_files(
    comparison: Comparison,
    *,
    uses_current: UsesCurrent,
    adapted: Mapping[str, str] = MappingProxyType({}),
) -> SandboxFiles:
    """Compose the sandbox.

    `uses_current` says whether the current version of a test or setting may judge. `adapted` are
    texts that replace those of the baseline.
    """
    files: dict[str, Path | str] = {}
    restored: list[str] = []
    for path in sorted({*comparison.old, *comparison.new}):
        same = comparison.old.entries.get(path) == comparison.new.entries.get(path)
        now = same or not is_protected(comparison, path) or uses_current(path)
        tree = comparison.new if now else comparison.old
        if path in tree:
            files[path] = (
                tree.root / path if now else _read_baseline_file(comparison, path, adapted)
            )
        if not now:
            restored.append(path)
    for path in comparison.changes.edited:
        if path in restored or uses_current(path):
            continue
        merged = _restore_own_tests(comparison, path)
        if merged is not None:
            files[path] = merged
            restored.append(path)
    return SandboxFiles(files, tuple(restored))


def _read_baseline_file(
    comparison: Comparison, path: str, adapted: Mapping[str, str]
) -> Path | str:
    merged = restore_scripts(comparison, path)
    return adapted.get(path, comparison.old.root / path) if merged is None else merged


def _restore_own_tests(comparison: Comparison, path: str) -> str | None:
    """Put back the baseline's tests and examples that stand in the code itself."""
    tested = restore_inline_tests(path, comparison.old.text(path), comparison.new.text(path))
    now = comparison.new.text(path) if tested is None else tested
    documented = restore_examples(comparison, path, now)
    return tested if documented is None else documented


def take_whole_tree(comparison: Comparison, *, current: bool) -> SandboxFiles:
    """Return one of the two trees as it is."""
    tree = comparison.new if current else comparison.old
    differ = (path for path in tree if tree.entries[path] != comparison.new.entries.get(path))
    return SandboxFiles({path: tree.root / path for path in tree}, tuple(differ))


def is_protected(comparison: Comparison, path: str) -> bool:
    return comparison.role(path) not in ("product", "document")


def make_allowance(allow: Iterable[str], comparison: Comparison) -> UsesCurrent:
    """Return a function that says whether the user allowed any change of a file."""
    places = {each.partition("#")[0].partition(":")[2] for each in allow if ":" in each}
    tests = {
        each.partition(":")[2].rpartition("::")[2].partition("[")[0]
        for each in allow
        if each.startswith("remove-test:")
    }

    def allowed(path: str) -> bool:
        if any(_is_below(path, place) for place in places):
            return True
        # The removal of a test may be allowed by its name alone.
        return bool(tests) and any(name in comparison.old.text(path) for name in tests if name)

    return allowed


def _is_below(path: str, place: str) -> bool:
    return path == place or place.startswith(f"{path}:") or path.startswith(f"{place.rstrip('/')}/")
