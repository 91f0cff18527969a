"""Exports that moved from one JavaScript module to another, for the tests that import them."""

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.moved_names import pair_places
from untildone.worktree.contents import Tree

# The current file of an export, by its old file and name.
Exports: TypeAlias = Mapping[tuple[str, str], str]

_SCRIPT = re.compile(r".*\.[cm]?[jt]sx?")
_EXPORTS = re.compile(
    r"^export\s+(?:async\s+)?(?:function\*?|const|let|class|enum|interface|type)\s+(\w+)", re.M
)
# import { a, b as c } from './x.js';
_IMPORT = re.compile(
    r"^import\s*(?P<type>type\s*)?\{(?P<names>[^{}]*)\}\s*from\s*(['\"])(?P<source>\.[^'\"]*)\3",
    re.M,
)
# const { a, b: c } = require('./x.js');
_REQUIRE = re.compile(
    r"^(?:const|let|var)\s+(?P<names>\{[^{}]*\}|\w+)\s*=\s*require\((['\"])(?P<source>[^'\"]+)\2\);?$",
    re.M,
)
_ENDINGS = ("", ".js", ".ts", ".mjs", ".tsx", ".jsx", "/index.js", "/index.ts")


def find_moved_exports(comparison: Comparison) -> Exports:
    changes = comparison.changes
    left = _list_exports(comparison, comparison.old, changes.edited_or_removed)
    came = _list_exports(comparison, comparison.new, changes.edited_or_added)
    return {(old, name): new for name, old, new in pair_places(left, came)}


def _list_exports(comparison: Comparison, tree: Tree, paths: Iterable[str]) -> dict[str, set[str]]:
    """Return the files of the product that export a name, by name."""
    found: dict[str, set[str]] = {}
    for path in paths:
        if _SCRIPT.fullmatch(path) and comparison.role(path) == "product":
            for name in _EXPORTS.findall(tree.text(path)):
                found.setdefault(name, set()).add(path)
    return found


def redirect_imports(path: str, text: str, exports: Exports) -> str:
    """Return the test with the moved names imported from their current files."""
    if not exports or not _SCRIPT.fullmatch(path):
        return text

    def split_import(match: re.Match[str]) -> str:
        items = [item.strip() for item in match["names"].split(",") if item.strip()]
        by_source: dict[str, list[str]] = {}
        for item in items:
            new = _find_current_import(path, match["source"], item.split()[0], exports)
            by_source.setdefault(new or match["source"], []).append(item)
        word = f"import {match['type'] or ''}"
        imports = ((source, ", ".join(parts)) for source, parts in by_source.items())
        lines = [f"{word}{{ {parts} }} from '{source}'" for source, parts in imports]
        return match[0] if list(by_source) == [match["source"]] else ";\n".join(lines)

    return _IMPORT.sub(split_import, text)


def convert_to_module(comparison: Comparison, path: str, text: str) -> str:
    """Write `require` as `import` if the package became an ES module."""
    is_module, was_module = map(_is_module_package, (comparison.new, comparison.old))
    if not path.endswith(".js") or was_module or not is_module:
        return text

    def convert(match: re.Match[str]) -> str:
        names, source = match["names"], match["source"]
        imported = comparison.new.text(_resolve_import(path, source))
        if names.startswith("{"):
            names = re.sub(r"\s*:\s*", " as ", names)
        elif source.startswith(".") and "export default" not in imported:
            names = f"* as {names}"
        return f"import {names} from '{source}';"

    return _REQUIRE.sub(convert, text)


def _is_module_package(tree: Tree) -> bool:
    return re.search(r"\"type\"\s*:\s*\"module\"", tree.text("package.json")) is not None


def _resolve_import(path: str, source: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), source))


def _find_current_import(path: str, source: str, name: str, exports: Exports) -> str:
    """Return the import path of the file that now exports the name; empty if it did not move."""
    plain = _resolve_import(path, source)
    found = (exports.get((f"{plain}{ending}", name), "") for ending in _ENDINGS)
    new = next(filter(None, found), "")
    if not new:
        return ""
    relative = posixpath.relpath(new, posixpath.dirname(path) or ".")
    return relative if relative.startswith(".") else f"./{relative}"
