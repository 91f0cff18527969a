"""Where Python finds the product after modules moved, as from `shop/` to `src/shop/`."""

import os
import posixpath
from collections.abc import Iterable, Mapping

from untildone.integrity.comparison import Comparison

_VARIABLE = "PYTHONPATH"


def add_moved_folders(
    comparison: Comparison, variables: Mapping[str, str], *, usual: bool = False
) -> dict[str, str]:
    """Return the variable with the folders that modules moved to, and with the usual ones."""
    folders = find_moved_folders(comparison)
    if usual:
        modules = _select_modules(comparison, comparison.new)
        has_sources = any(path.startswith("src/") for path in modules)
        folders += (".",) * bool(modules) + ("src",) * has_sources
    before = variables.get(_VARIABLE, "")
    path = os.pathsep.join(dict.fromkeys(filter(None, (before, *folders))))
    return {_VARIABLE: path} if folders else {}


def find_moved_folders(comparison: Comparison) -> tuple[str, ...]:
    """Return folders that hold nothing but modules that the baseline had elsewhere."""
    changes = comparison.changes
    left = _select_modules(comparison, (*changes.removed, *changes.moved))
    came = _select_modules(comparison, (*changes.added, *changes.moved.values()))
    by_name: dict[str, list[str]] = {}
    for path in left:
        by_name.setdefault(posixpath.basename(path), []).append(path)
    roots = dict.fromkeys(
        _find_root(comparison, old, new)
        for new in came
        for old in by_name.get(posixpath.basename(new), ())
        if old != new
    )
    return tuple(root for root in roots if root and _holds_only_moved(comparison, root))


def _select_modules(comparison: Comparison, paths: Iterable[str]) -> list[str]:
    return [path for path in paths if path.endswith(".py") and comparison.role(path) == "product"]


def _find_root(comparison: Comparison, old: str, new: str) -> str:
    """Return the folder in which Python finds the module by its old name; "" if there is none."""
    before, after = old.split("/"), new.split("/")
    while before and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    root = "/".join(after)
    was_package = "/".join((*before, "__init__.py")) in comparison.old
    return "" if was_package or f"{root}/__init__.py" in comparison.new else root


def _holds_only_moved(comparison: Comparison, root: str) -> bool:
    """A new module there could replace any other module."""
    inside = [path[len(root) + 1 :] for path in comparison.new if path.startswith(f"{root}/")]
    modules = [path for path in inside if path.endswith((".py", ".pyc", ".so", ".pyd", ".pth"))]
    known = {path.partition("/")[0] for path in modules if _was_elsewhere(comparison, root, path)}
    return known == {path.partition("/")[0] for path in modules}


def _was_elsewhere(comparison: Comparison, root: str, path: str) -> bool:
    places = [each for each in comparison.old if f"/{each}".endswith(f"/{path}")]
    own = f"{root}/{path}"
    return any(each != own for each in places) and not any(
        each in comparison.new for each in places if each != own
    )
