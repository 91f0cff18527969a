"""Where Python finds the product after modules moved, as from `shop/` to `src/shop/`."""

import os
from collections.abc import Iterator, Mapping

from untildone.integrity.comparison import Comparison

_VARIABLE = "PYTHONPATH"
_USUAL = (".", "src")


def add_moved_folders(comparison: Comparison, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variable with the folders that modules moved to."""
    return _append_folders(variables, find_moved_folders(comparison))


def add_usual_folders(comparison: Comparison, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variable with the usual folders of modules as well."""
    return _append_folders(
        variables,
        (*find_moved_folders(comparison), *(each for each in _USUAL if _holds(comparison, each))),
    )


def _append_folders(variables: Mapping[str, str], folders: tuple[str, ...]) -> dict[str, str]:
    """Append the folders to the variable's value; nothing if there are none."""
    before = variables.get(_VARIABLE, "")
    path = os.pathsep.join(dict.fromkeys(filter(None, (before, *folders))))
    return {_VARIABLE: path} if folders else {}


def _holds(comparison: Comparison, folder: str) -> bool:
    inside = "" if folder == "." else f"{folder}/"
    return any(
        path.startswith(inside) for path in _select_modules(comparison, tuple(comparison.new))
    )


def find_moved_folders(comparison: Comparison) -> tuple[str, ...]:
    """Return folders that hold nothing but modules that the baseline had elsewhere."""
    changes = comparison.changes
    left = _select_modules(comparison, (*changes.removed, *changes.moved))
    came = _select_modules(comparison, (*changes.added, *changes.moved.values()))
    by_name: dict[str, list[str]] = {}
    for path in left:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    pairs = (
        (was, now) for now in came for was in by_name.get(now.rpartition("/")[2], ()) if was != now
    )
    roots = dict.fromkeys(root for was, now in pairs for root in _find_root(comparison, was, now))
    return tuple(root for root in roots if _holds_only_moved(comparison, root))


def _select_modules(comparison: Comparison, paths: tuple[str, ...]) -> list[str]:
    return [path for path in paths if path.endswith(".py") and comparison.role(path) == "product"]


def _find_root(comparison: Comparison, was: str, now: str) -> Iterator[str]:
    """Yield the folder in which Python has to look to find the module by its old name."""
    before, after = was.split("/"), now.split("/")
    while before and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    root = "/".join(after)
    inside = (
        f"{root}/__init__.py" in comparison.new
        or "/".join((*before, "__init__.py")) in comparison.old
    )
    if root and not inside:
        yield root


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
