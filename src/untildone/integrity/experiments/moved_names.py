"""Names that moved from one Python module to another, for the tests that use them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from untildone.integrity.comparison import Comparison
from untildone.worktree.contents import Tree

# The current module of a name, by its old module and name.
Places: TypeAlias = Mapping[tuple[str, str], str]

_DEFINES = re.compile(
    r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]+)?=(?!=)", re.M
)


def find_moved_names(comparison: Comparison, tests: Iterable[str]) -> Places:
    """Return moves to modules that the current tests name."""
    changes = comparison.changes
    left = _list_defined(comparison, comparison.old, (*changes.edited_or_removed, *changes.moved))
    arrived = (*changes.edited_or_added, *changes.moved.values())
    came = _list_defined(comparison, comparison.new, arrived)
    text = "\n".join(tests) if left and came else ""
    return {
        (old, name): new
        for name, old, new in pair_places(left, came)
        if re.search(rf"(?<![\w.]){re.escape(new)}(?!\w)", text)
    }


def pair_places(
    left: Mapping[str, set[str]], came: Mapping[str, set[str]]
) -> Iterator[tuple[str, str, str]]:
    """Yield each name that exactly one place lost and one other got, with both places."""
    for name, places in left.items():
        old, new = places - came.get(name, set()), came.get(name, set()) - places
        if len(old) == len(new) == 1:
            yield name, old.pop(), new.pop()


def _list_defined(comparison: Comparison, tree: Tree, paths: Iterable[str]) -> dict[str, set[str]]:
    """Return the modules of the product that define a name, by name."""
    found: dict[str, set[str]] = {}
    for path in paths:
        if not path.endswith(".py") or comparison.role(path) != "product":
            continue
        module = path.removesuffix(".py").removesuffix("/__init__").removeprefix("src/")
        for pair in _DEFINES.findall(tree.text(path)):
            found.setdefault(pair[0] or pair[1], set()).add(module.replace("/", "."))
    return found


def redirect_names(text: str, places: Places) -> str:
    for old in dict.fromkeys(module for module, _ in places):
        names = {name: new for (module, name), new in places.items() if module == old}
        text = _split_imports(text, old, names)
        for name, new in names.items():
            text = _rename_dotted(text, f"{old}.{name}", old=old, new=new)
    return text


def _split_imports(text: str, old: str, names: Mapping[str, str]) -> str:
    """Write `from old import a, b` as one import from each current module."""
    statement = re.compile(
        rf"^([ \t]*)from[ \t]+{re.escape(old)}[ \t]+import[ \t]+(\([^)]*\)|[^\n#;\\]+)", re.M
    )

    def split(match: re.Match[str]) -> str:
        items = [item.strip() for item in match[2].strip("() \n").split(",") if item.strip()]
        by_module: dict[str, list[str]] = {}
        for item in items:
            by_module.setdefault(names.get(item.split()[0], old), []).append(item)
        imports = ((module, ", ".join(parts)) for module, parts in by_module.items())
        lines = (f"{match[1]}from {module} import {parts}" for module, parts in imports)
        return match[0] if list(by_module) == [old] else "\n".join(lines)

    return statement.sub(split, text)


def _rename_dotted(text: str, name: str, *, old: str, new: str) -> str:
    """Rename `old.name` in code and in patched strings, and import the new module."""
    found = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    if not found.search(text):
        return text
    text = found.sub(f"{new}.{name.rpartition('.')[2]}", text)
    own = re.compile(rf"^([ \t]*)import[ \t]+{re.escape(old)}[ \t]*$", re.M)
    return own.sub(rf"\g<0>\n\g<1>import {new}", text)
