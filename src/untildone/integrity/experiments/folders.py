"""Where Python finds a project's modules: `src/`, once `shop/` went to `src/shop/` as a whole."""

import os
from collections.abc import Iterator, Mapping

from untildone.integrity.comparison import Compared

_VARIABLE = "PYTHONPATH"
_USUAL = (".", "src")


def python_path(both: Compared, variables: Mapping[str, str]) -> dict[str, str]:
    """With the folders that modules went to."""
    return _behind(variables, moved_to(both))


def whole_path(both: Compared, variables: Mapping[str, str]) -> dict[str, str]:
    """With the folders that projects keep their modules in, whether anything led there or not."""
    return _behind(variables, (*moved_to(both), *(each for each in _USUAL if _holds(both, each))))


def _behind(variables: Mapping[str, str], folders: tuple[str, ...]) -> dict[str, str]:
    """Behind what the variable held; nothing where there are none."""
    before = variables.get(_VARIABLE, "")
    path = os.pathsep.join(dict.fromkeys(filter(None, (before, *folders))))
    return {_VARIABLE: path} if folders else {}


def _holds(both: Compared, folder: str) -> bool:
    inside = "" if folder == "." else f"{folder}/"
    return any(path.startswith(inside) for path in _modules(both, tuple(both.new)))


def moved_to(both: Compared) -> tuple[str, ...]:
    """Each holds nothing that was not at another place at the start, and is not there now."""
    changes = both.changes
    left = _modules(both, (*changes.removed, *changes.moved))
    came = _modules(both, (*changes.added, *changes.moved.values()))
    by_name: dict[str, list[str]] = {}
    for path in left:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    pairs = (
        (was, now) for now in came for was in by_name.get(now.rpartition("/")[2], ()) if was != now
    )
    roots = dict.fromkeys(root for was, now in pairs for root in _root(both, was, now))
    return tuple(root for root in roots if _holds_only_what_moved(both, root))


def _modules(both: Compared, paths: tuple[str, ...]) -> list[str]:
    return [path for path in paths if path.endswith(".py") and both.role(path) == "product"]


def _root(both: Compared, was: str, now: str) -> Iterator[str]:
    """Where Python has to look, if the module is to be called what it was called."""
    before, after = was.split("/"), now.split("/")
    while before and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    root = "/".join(after)
    inside = f"{root}/__init__.py" in both.new or "/".join((*before, "__init__.py")) in both.old
    if root and not inside:
        yield root


def _holds_only_what_moved(both: Compared, root: str) -> bool:
    """One more module there could take the place of any other."""
    inside = [path[len(root) + 1 :] for path in both.new if path.startswith(f"{root}/")]
    modules = [path for path in inside if path.endswith((".py", ".pyc", ".so", ".pyd", ".pth"))]
    known = {path.partition("/")[0] for path in modules if _elsewhere(both, root, path)}
    return known == {path.partition("/")[0] for path in modules}


def _elsewhere(both: Compared, root: str, path: str) -> bool:
    places = [each for each in both.old if f"/{each}".endswith(f"/{path}")]
    own = f"{root}/{path}"
    return any(each != own for each in places) and not any(
        each in both.new for each in places if each != own
    )
