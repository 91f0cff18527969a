"""Where Python finds a project's modules: `src/`, once `shop/` went to `src/shop/` as a whole."""

import os
from collections.abc import Iterator, Mapping

from untildone.integrity.comparison import Comparison

_VARIABLE = "PYTHONPATH"
_USUAL = (".", "src")


def add_moved_folders(comparison: Comparison, variables: Mapping[str, str]) -> dict[str, str]:
    """With the folders that modules went to."""
    return _behind(variables, find_moved_folders(comparison))


def add_usual_folders(comparison: Comparison, variables: Mapping[str, str]) -> dict[str, str]:
    """With the folders that projects keep their modules in, whether anything led there or not."""
    return _behind(
        variables,
        (*find_moved_folders(comparison), *(each for each in _USUAL if _holds(comparison, each))),
    )


def _behind(variables: Mapping[str, str], folders: tuple[str, ...]) -> dict[str, str]:
    """Behind what the variable held; nothing where there are none."""
    before = variables.get(_VARIABLE, "")
    path = os.pathsep.join(dict.fromkeys(filter(None, (before, *folders))))
    return {_VARIABLE: path} if folders else {}


def _holds(comparison: Comparison, folder: str) -> bool:
    inside = "" if folder == "." else f"{folder}/"
    return any(path.startswith(inside) for path in _modules(comparison, tuple(comparison.new)))


def find_moved_folders(comparison: Comparison) -> tuple[str, ...]:
    """Each holds nothing that was not at another place at the start, and is not there now."""
    changes = comparison.changes
    left = _modules(comparison, (*changes.removed, *changes.moved))
    came = _modules(comparison, (*changes.added, *changes.moved.values()))
    by_name: dict[str, list[str]] = {}
    for path in left:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    pairs = (
        (was, now) for now in came for was in by_name.get(now.rpartition("/")[2], ()) if was != now
    )
    roots = dict.fromkeys(root for was, now in pairs for root in _root(comparison, was, now))
    return tuple(root for root in roots if _holds_only_what_moved(comparison, root))


def _modules(comparison: Comparison, paths: tuple[str, ...]) -> list[str]:
    return [path for path in paths if path.endswith(".py") and comparison.role(path) == "product"]


def _root(comparison: Comparison, was: str, now: str) -> Iterator[str]:
    """Where Python has to look, if the module is to be called what it was called."""
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


def _holds_only_what_moved(comparison: Comparison, root: str) -> bool:
    """One more module there could take the place of any other."""
    inside = [path[len(root) + 1 :] for path in comparison.new if path.startswith(f"{root}/")]
    modules = [path for path in inside if path.endswith((".py", ".pyc", ".so", ".pyd", ".pth"))]
    known = {path.partition("/")[0] for path in modules if _elsewhere(comparison, root, path)}
    return known == {path.partition("/")[0] for path in modules}


def _elsewhere(comparison: Comparison, root: str, path: str) -> bool:
    places = [each for each in comparison.old if f"/{each}".endswith(f"/{path}")]
    own = f"{root}/{path}"
    return any(each != own for each in places) and not any(
        each in comparison.new for each in places if each != own
    )
