"""The files of a sandbox: tests and settings of the baseline with the current product.

If `shop.py`, `tests/test_shop.py` and `pyproject.toml` changed, the sandbox gets the current
`shop.py` and the baseline's versions of the other two.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from untildone.core.concerns import is_file_allowed
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.doc_tests import restore_doc_tests
from untildone.integrity.experiments.rust_inline_tests import restore_inline_tests
from untildone.integrity.settings.comparison import is_harmless_edit
from untildone.sandbox.sandbox_source import SandboxFiles

# Says of a path whether the sandbox gets the current version of that test or setting.
UsesCurrent: TypeAlias = Callable[[str], bool]


def compose_files(
    comparison: Comparison,
    *,
    uses_current: UsesCurrent,
    adapted: Mapping[str, str] = MappingProxyType({}),
) -> SandboxFiles:
    """Return the current tree with every changed test, setting and script as in the baseline.

    Files for which `uses_current` is true stay as they are. `adapted` are texts, by path, that
    replace the baseline's.
    """
    files: dict[str, Path | str] = {}
    restored: list[str] = []
    old, new = comparison.old, comparison.new
    for path in sorted({*old, *new}):
        is_same = old.entries.get(path) == new.entries.get(path)
        is_restorable = comparison.role(path) not in ("product", "document")
        if is_same or not is_restorable or uses_current(path):
            if path in new:
                files[path] = new.root / path
            continue
        # A file that the baseline did not have is left out.
        restored.append(path)
        if path in old:
            package_file = restore_scripts(comparison, path)
            from_baseline = adapted.get(path, old.root / path)
            files[path] = from_baseline if package_file is None else package_file
    for path in comparison.changes.edited:
        if path in restored or uses_current(path):
            continue
        text = _restore_tests_in_product(comparison, path)
        if text is not None:
            files[path] = text
            restored.append(path)
    return SandboxFiles(files, tuple(restored))


def take_tree(comparison: Comparison, *, current: bool) -> SandboxFiles:
    """Return the current tree, or else the baseline's, as it is.

    Files of the baseline that differ from the current ones count as restored.
    """
    tree = comparison.new if current else comparison.old
    differing = (path for path in tree if tree.entries[path] != comparison.new.entries.get(path))
    return SandboxFiles({path: tree.root / path for path in tree}, tuple(differing))


def restore_scripts(comparison: Comparison, path: str) -> str | None:
    """Return the current `package.json` with the scripts of the baseline.

    None for another file, or if more than the scripts has to be the baseline's.
    """
    trees = comparison.trees
    if path.rpartition("/")[2] != "package.json" or not all(path in tree for tree in trees):
        return None
    try:
        old_package, new_package = (json.loads(tree.text(path)) for tree in trees)
        old_scripts = old_package.get("scripts", {})
        # New scripts may stay, as others may call them; but `pretest` would run with `test`.
        added_scripts = {
            name: script
            for name, script in new_package.get("scripts", {}).items()
            if name not in old_scripts and not name.startswith(("pre", "post"))
        }
    except (ValueError, AttributeError, RecursionError):
        return None
    if not is_harmless_edit(comparison, path, but_for="scripts."):
        return None
    package = {**new_package, "scripts": {**added_scripts, **old_scripts}}
    return json.dumps(package, indent=2) + "\n"


def _restore_tests_in_product(comparison: Comparison, path: str) -> str | None:
    """Return the current code with the baseline's tests and examples that were inside of it.

    None if it has the same ones, or never had any.
    """
    old_text, new_text = (tree.text(path) for tree in comparison.trees)
    with_tests = restore_inline_tests(path, old_text, new_text)
    current_text = new_text if with_tests is None else with_tests
    with_examples = restore_doc_tests(comparison, path, current_text)
    return with_tests if with_examples is None else with_examples


def make_is_allowed(allow: Iterable[str], comparison: Comparison) -> UsesCurrent:
    """Return a function that says whether the user allowed any change of a file.

    `allow` are ids of concerns: `config:pyproject.toml`, `edit-test:tests/a.py:test_one#1f2e`,
    `remove-test:tests/a.py::test_one`.
    """
    allow = tuple(allow)
    # test_one, also for `test_one[EUR]`
    removed_tests = {
        identity.partition(":")[2].rpartition("::")[2].partition("[")[0]
        for identity in allow
        if identity.startswith("remove-test:")
    }

    def is_allowed(path: str) -> bool:
        if is_file_allowed(path, allow):
            return True
        # The removal of a test may be allowed by its name alone.
        text = comparison.old.text(path) if removed_tests else ""
        return any(name in text for name in removed_tests if name)

    return is_allowed
