"""The files of a sandbox: tests and settings of the baseline, the current product."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.doc_tests import restore_examples
from untildone.integrity.experiments.inline_tests import restore_inline_tests
from untildone.integrity.settings.comparison import is_harmless_edit
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
    old, new = comparison.old, comparison.new
    for path in sorted({*old, *new}):
        is_same = old.entries.get(path) == new.entries.get(path)
        if is_same or not is_protected(comparison, path) or uses_current(path):
            if path in new:
                files[path] = new.root / path
            continue
        restored.append(path)
        if path in old:
            merged = restore_scripts(comparison, path)
            files[path] = adapted.get(path, old.root / path) if merged is None else merged
    for path in comparison.changes.edited:
        if path in restored or uses_current(path):
            continue
        merged = _restore_own_tests(comparison, path)
        if merged is not None:
            files[path] = merged
            restored.append(path)
    return SandboxFiles(files, tuple(restored))


def restore_scripts(comparison: Comparison, path: str) -> str | None:
    """Return the current `package.json` with the scripts of the baseline.

    None for another file, or if more than the scripts has to be the baseline's.
    """
    trees = comparison.trees
    if path.rpartition("/")[2] != "package.json" or not all(path in tree for tree in trees):
        return None
    try:
        old, new = (json.loads(tree.text(path)) for tree in trees)
        before, now = old.get("scripts", {}), new.get("scripts", {})
        # New scripts may stay, as others may call them; but `pretest` would run with `test`.
        fresh = {
            name: script
            for name, script in now.items()
            if name not in before and not name.startswith(("pre", "post"))
        }
    except (ValueError, AttributeError, RecursionError):
        return None
    if not is_harmless_edit(comparison, path, but_for="scripts."):
        return None
    return json.dumps({**new, "scripts": {**fresh, **before}}, indent=2) + "\n"


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

    def is_allowed(path: str) -> bool:
        for place in places:
            is_inside = path.startswith(f"{place.rstrip('/')}/") or place.startswith(f"{path}:")
            if path == place or is_inside:
                return True
        # The removal of a test may be allowed by its name alone.
        return bool(tests) and any(name in comparison.old.text(path) for name in tests if name)

    return is_allowed
