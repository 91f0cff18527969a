"""JavaScript exports that moved to another file, and baseline tests that import them from there.

If `total` moved from `src/cart.js` to `src/prices.js`, the baseline's tests are edited:
`import { total } from '../src/cart.js'` becomes `import { total } from '../src/prices.js'`.
"""

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.moved_python_names import pair_places
from untildone.worktree.contents import Tree

# {("src/cart.js", "total"): "src/prices.js"}: the current file by old file and name.
MovedExports: TypeAlias = Mapping[tuple[str, str], str]

_JAVASCRIPT_FILE = compile_late(r".*\.[cm]?[jt]sx?")
_EXPORT = compile_late(
    r"^export\s+(?:async\s+)?(?:function\*?|const|let|class|enum|interface|type)\s+(\w+)", re.M
)
# import { a, b as c } from './x.js';
_IMPORT = compile_late(
    r"^import\s*(?P<type>type\s*)?\{(?P<names>[^{}]*)\}\s*from\s*(['\"])(?P<source>\.[^'\"]*)\3",
    re.M,
)
# const { a, b: c } = require('./x.js');
_REQUIRE = compile_late(
    r"^(?:const|let|var)\s+(?P<names>\{[^{}]*\}|\w+)\s*=\s*require\((['\"])(?P<source>[^'\"]+)\2\);?$",
    re.M,
)
# What an import may leave out: `./cart` is `cart.js`.
_OPTIONAL_ENDINGS = ("", ".js", ".ts", ".mjs", ".tsx", ".jsx", "/index.js", "/index.ts")


def find_moved_exports(comparison: Comparison) -> MovedExports:
    """Return the exports that one file of the product lost and one other got."""
    changes = comparison.changes
    old_files = _group_files_by_export(comparison, comparison.old, changes.edited_or_removed)
    new_files = _group_files_by_export(comparison, comparison.new, changes.edited_or_added)
    return {(old, name): new for name, old, new in pair_places(old_files, new_files)}


def _group_files_by_export(
    comparison: Comparison, tree: Tree, paths: Iterable[str]
) -> dict[str, set[str]]:
    """Return the files of the product that export a name, by name."""
    found: dict[str, set[str]] = {}
    for path in paths:
        if _JAVASCRIPT_FILE.fullmatch(path) and comparison.role(path) == "product":
            for name in _EXPORT.findall(tree.text(path)):
                found.setdefault(name, set()).add(path)
    return found


def redirect_imports(path: str, text: str, moved: MovedExports) -> str:
    """Return the text of the test file `path` with moved names imported from their new files."""
    if not moved or not _JAVASCRIPT_FILE.fullmatch(path):
        return text

    def split_import(match: re.Match[str]) -> str:
        old_source = match["source"]
        by_source: dict[str, list[str]] = {}
        # An item may be `a as b`.
        for item in filter(None, map(str.strip, match["names"].split(","))):
            new_source = _find_new_source(path, old_source, item.split()[0], moved)
            by_source.setdefault(new_source or old_source, []).append(item)
        if list(by_source) == [old_source]:
            return match[0]
        keyword = f"import {match['type'] or ''}"
        imports = ((source, ", ".join(items)) for source, items in by_source.items())
        return ";\n".join(f"{keyword}{{ {items} }} from '{source}'" for source, items in imports)

    return _IMPORT.sub(split_import, text)


def convert_to_module(comparison: Comparison, path: str, text: str) -> str:
    """Return the test with `require` written as `import` if the package became an ES module."""
    # `"type": "module"` makes every `.js` file of the package an ES module.
    was_module, is_module = (
        re.search(r"\"type\"\s*:\s*\"module\"", tree.text("package.json")) is not None
        for tree in comparison.trees
    )
    if not path.endswith(".js") or was_module or not is_module:
        return text

    def convert(match: re.Match[str]) -> str:
        names, source = match["names"], match["source"]
        imported_code = comparison.new.text(_resolve_import(path, source))
        if names.startswith("{"):
            # const { b: c } = require(..)
            names = re.sub(r"\s*:\s*", " as ", names)
        elif source.startswith(".") and "export default" not in imported_code:
            names = f"* as {names}"
        return f"import {names} from '{source}';"

    return _REQUIRE.sub(convert, text)


def _resolve_import(path: str, source: str) -> str:
    """Return the path that the file `path` imports by the relative name `source`."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), source))


def _find_new_source(path: str, source: str, name: str, moved: MovedExports) -> str:
    """Return what to import the name from now, relative to `path`; empty if it did not move."""
    old_file = _resolve_import(path, source)
    candidates = (moved.get((f"{old_file}{ending}", name), "") for ending in _OPTIONAL_ENDINGS)
    new_file = next(filter(None, candidates), "")
    if not new_file:
        return ""
    relative = posixpath.relpath(new_file, posixpath.dirname(path) or ".")
    return relative if relative.startswith(".") else f"./{relative}"
