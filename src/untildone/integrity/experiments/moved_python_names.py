"""Python names that moved to another module, and baseline tests that import them from there.

If `total` moved from `shop/cart.py` to `shop/prices.py`, the baseline's tests are edited:
`from shop.cart import total` becomes `from shop.prices import total`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.worktree.contents import Tree

# {("shop.cart", "total"): "shop.prices"}: the current module by old module and name.
MovedNames: TypeAlias = Mapping[tuple[str, str], str]

# Functions, classes and variables at the top of a module.
_DEFINITION = compile_late(
    r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]+)?=(?!=)", re.M
)


def find_moved_names(comparison: Comparison, current_tests: Iterable[str]) -> MovedNames:
    """Return the names that moved to a module which the text of a current test mentions."""
    changes = comparison.changes
    old_paths = (*changes.edited_or_removed, *changes.moved)
    new_paths = (*changes.edited_or_added, *changes.moved.values())
    old_modules = _group_modules_by_name(comparison, comparison.old, old_paths)
    new_modules = _group_modules_by_name(comparison, comparison.new, new_paths)
    tests = "\n".join(current_tests) if old_modules and new_modules else ""
    return {
        (old, name): new
        for name, old, new in pair_places(old_modules, new_modules)
        if re.search(rf"(?<![\w.]){re.escape(new)}(?!\w)", tests)
    }


def pair_places(
    old_places: Mapping[str, set[str]], new_places: Mapping[str, set[str]]
) -> Iterator[tuple[str, str, str]]:
    """Yield name, old place and new place of each name that left one place for one other.

    Both arguments are the places (modules or files) that define a name, by name.
    """
    for name, places in old_places.items():
        current = new_places.get(name, set())
        left, entered = places - current, current - places
        if len(left) == len(entered) == 1:
            yield name, left.pop(), entered.pop()


def _group_modules_by_name(
    comparison: Comparison, tree: Tree, paths: Iterable[str]
) -> dict[str, set[str]]:
    """Return the modules of the product that define a name, by name."""
    found: dict[str, set[str]] = {}
    for path in paths:
        if not path.endswith(".py") or comparison.role(path) != "product":
            continue
        module = path.removesuffix(".py").removesuffix("/__init__").removeprefix("src/")
        for definition, variable in _DEFINITION.findall(tree.text(path)):
            found.setdefault(definition or variable, set()).add(module.replace("/", "."))
    return found


def redirect_names(text: str, moved: MovedNames) -> str:
    """Return the test's text with the moved names taken from their current modules."""
    for old in dict.fromkeys(module for module, _ in moved):
        new_modules = {name: new for (module, name), new in moved.items() if module == old}
        text = _split_imports(text, old, new_modules)
        for name, new in new_modules.items():
            text = _rename_dotted(text, name, old=old, new=new)
    return text


def _split_imports(text: str, old: str, new_modules: Mapping[str, str]) -> str:
    """Write `from old import a, b` as one import from each current module of the names."""
    statement = re.compile(
        rf"^([ \t]*)from[ \t]+{re.escape(old)}[ \t]+import[ \t]+(\([^)]*\)|[^\n#;\\]+)", re.M
    )

    def split(match: re.Match[str]) -> str:
        indent, names = match[1], match[2].strip("() \n")
        by_module: dict[str, list[str]] = {}
        # An item may be `a as b`.
        for item in filter(None, map(str.strip, names.split(","))):
            by_module.setdefault(new_modules.get(item.split()[0], old), []).append(item)
        if list(by_module) == [old]:
            return match[0]
        imports = ((module, ", ".join(items)) for module, items in by_module.items())
        return "\n".join(f"{indent}from {module} import {items}" for module, items in imports)

    return statement.sub(split, text)


def _rename_dotted(text: str, name: str, *, old: str, new: str) -> str:
    """Write `old.name` as `new.name` in code and in strings for `patch`; import the new module."""
    use = re.compile(rf"(?<![\w.]){re.escape(f'{old}.{name}')}(?!\w)")
    if not use.search(text):
        return text
    text = use.sub(f"{new}.{name}", text)
    old_import = re.compile(rf"^([ \t]*)import[ \t]+{re.escape(old)}[ \t]*$", re.M)
    return old_import.sub(rf"\g<0>\n\g<1>import {new}", text)
