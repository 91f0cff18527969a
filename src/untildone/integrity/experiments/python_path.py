"""The `PYTHONPATH` with which the baseline's tests find modules that moved to another folder.

If `shop/cart.py` moved to `src/shop/cart.py`, a baseline test with `import shop.cart` finds it if
`src` is in the `PYTHONPATH`.
"""

import os
import posixpath
from collections.abc import Iterable, Mapping

from untildone.integrity.comparison import Comparison

_VARIABLE = "PYTHONPATH"
# What Python imports from a folder, or runs at its start.
_IMPORTED_SUFFIXES = (".py", ".pyc", ".so", ".pyd", ".pth")


def add_moved_folders(
    comparison: Comparison, variables: Mapping[str, str], *, with_usual: bool = False
) -> dict[str, str]:
    """Return `PYTHONPATH` with the folders that modules moved to added to its baseline value.

    `variables` are the baseline's environment variables. With `with_usual` the project's top and
    `src` are added too, if they have modules. The result is empty if no folder is added.
    """
    folders = find_moved_folders(comparison)
    if with_usual:
        modules = _select_modules(comparison, comparison.new)
        folders += (".",) if modules else ()
        folders += ("src",) if any(path.startswith("src/") for path in modules) else ()
    baseline_value = variables.get(_VARIABLE, "")
    value = os.pathsep.join(dict.fromkeys(filter(None, (baseline_value, *folders))))
    return {_VARIABLE: value} if folders else {}


def find_moved_folders(comparison: Comparison) -> tuple[str, ...]:
    """Return the folders in which nothing but moved modules can be imported."""
    changes = comparison.changes
    old_modules = _select_modules(comparison, (*changes.removed, *changes.moved))
    new_modules = _select_modules(comparison, (*changes.added, *changes.moved.values()))
    old_by_name: dict[str, list[str]] = {}
    for path in old_modules:
        old_by_name.setdefault(posixpath.basename(path), []).append(path)
    folders = dict.fromkeys(
        _find_import_folder(comparison, old, new)
        for new in new_modules
        for old in old_by_name.get(posixpath.basename(new), ())
        if old != new
    )
    # A new module in the folder could be imported instead of any other module of that name.
    return tuple(folder for folder in folders if folder and _holds_only_moved(comparison, folder))


def _select_modules(comparison: Comparison, paths: Iterable[str]) -> list[str]:
    """Return the paths that are Python modules of the product."""
    return [path for path in paths if path.endswith(".py") and comparison.role(path) == "product"]


def _find_import_folder(comparison: Comparison, old: str, new: str) -> str:
    """Return the folder from which the moved file is imported by its old name.

    For `shop/cart.py` and `src/shop/cart.py` it is `src`. It is empty if there is none, as where
    the folder is itself a package.
    """
    old_parts, new_parts = old.split("/"), new.split("/")
    while old_parts and new_parts and old_parts[-1] == new_parts[-1]:
        del old_parts[-1], new_parts[-1]
    folder = "/".join(new_parts)
    was_package = "/".join((*old_parts, "__init__.py")) in comparison.old
    is_package = f"{folder}/__init__.py" in comparison.new
    return "" if was_package or is_package else folder


def _holds_only_moved(comparison: Comparison, folder: str) -> bool:
    """Say whether each package and module at the top of the folder has a file that moved to it."""
    paths = [path[len(folder) + 1 :] for path in comparison.new if path.startswith(f"{folder}/")]
    modules = [path for path in paths if path.endswith(_IMPORTED_SUFFIXES)]
    all_tops = {path.partition("/")[0] for path in modules}
    moved = (path for path in modules if _was_elsewhere(comparison, folder, path))
    return {path.partition("/")[0] for path in moved} == all_tops


def _was_elsewhere(comparison: Comparison, folder: str, path: str) -> bool:
    """Say whether the baseline had `path` below another folder, where it no longer is.

    For `shop/cart.py` of the folder `src` that may have been `shop/cart.py` or `lib/shop/cart.py`.
    """
    new_place = f"{folder}/{path}"
    old_places = [
        old for old in comparison.old if f"/{old}".endswith(f"/{path}") and old != new_place
    ]
    return bool(old_places) and not any(old in comparison.new for old in old_places)
