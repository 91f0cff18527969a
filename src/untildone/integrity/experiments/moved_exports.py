"""Exports that moved from one JavaScript module to another, for the tests that import them."""

import os.path
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import TypeAlias

from untildone.integrity.comparison import Comparison
from untildone.worktree.contents import Tree

# The current file of an export, by its old file and name.
Exports: TypeAlias = Mapping[tuple[str, str], str]

_SCRIPT = re.compile(r".*\.[cm]?[jt]sx?")
_EXPORTS = re.compile(
    r"^export\s+(?:async\s+)?(?:function\*?|const|let|class|enum|interface|type)\s+(\w+)", re.M
)
# import { a, b as c } from './x.js';
_IMPORT = re.compile(
    r"^import\s*(?P<type>type\s*)?\{(?P<names>[^{}]*)\}\s*from\s*(['\"])(?P<way>\.[^'\"]*)\3", re.M
)
# const { a, b: c } = require('./x.js');
_REQUIRE = re.compile(
    r"^(?:const|let|var)\s+(?P<names>\{[^{}]*\}|\w+)\s*=\s*require\((['\"])(?P<way>[^'\"]+)\2\);?$",
    re.M,
)
_ENDINGS = ("", ".js", ".ts", ".mjs", ".tsx", ".jsx", "/index.js", "/index.ts")


def find_moved_exports(comparison: Comparison) -> Exports:
    changes = comparison.changes
    left = _list_exports(comparison.old, _product(comparison, changes.edited_or_removed))
    came = _list_exports(comparison.new, _product(comparison, changes.edited_or_added))
    found = {}
    for name, files in left.items():
        was, now = files - came.get(name, set()), came.get(name, set()) - files
        if len(was) == len(now) == 1:
            found[next(iter(was)), name] = next(iter(now))
    return found


def _product(comparison: Comparison, paths: Iterable[str]) -> list[str]:
    return [
        path for path in paths if _SCRIPT.fullmatch(path) and comparison.role(path) == "product"
    ]


def _list_exports(tree: Tree, paths: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in paths:
        for name in _EXPORTS.findall(tree.text(path)):
            found.setdefault(name, set()).add(path)
    return found


def redirect_imports(path: str, text: str, exports: Exports) -> str:
    """Return the test with the moved names imported from their current files."""
    if not exports or not _SCRIPT.fullmatch(path):
        return text

    def split_import(match: re.Match[str]) -> str:
        items = [item.strip() for item in match["names"].split(",") if item.strip()]
        by_way: dict[str, list[str]] = {}
        for item in items:
            new = _find_current_import(path, match["way"], item.split()[0], exports)
            by_way.setdefault(new or match["way"], []).append(item)
        word = f"import {match['type'] or ''}"
        lines = [f"{word}{{ {', '.join(some)} }} from '{way}'" for way, some in by_way.items()]
        return match[0] if list(by_way) == [match["way"]] else ";\n".join(lines)

    return _IMPORT.sub(split_import, text)


def convert_to_module(comparison: Comparison, path: str, text: str) -> str:
    """Write `require` as `import` if the package became an ES module."""
    if (
        not path.endswith(".js")
        or _is_module_package(comparison.old)
        or not _is_module_package(comparison.new)
    ):
        return text

    def convert(match: re.Match[str]) -> str:
        names, way = match["names"], match["way"]
        if names.startswith("{"):
            names = re.sub(r"\s*:\s*", " as ", names)
        elif way.startswith(".") and "export default" not in comparison.new.text(
            _resolve_import(path, way)
        ):
            names = f"* as {names}"
        return f"import {names} from '{way}';"

    return _REQUIRE.sub(convert, text)


def _is_module_package(tree: Tree) -> bool:
    return re.search(r"\"type\"\s*:\s*\"module\"", tree.text("package.json")) is not None


def _resolve_import(path: str, way: str) -> str:
    folder = PurePosixPath(path).parent.as_posix()
    return os.path.normpath(f"{folder}/{way}").replace(os.sep, "/")


def _find_current_import(path: str, way: str, name: str, exports: Exports) -> str:
    """Return the import path of the file that now exports the name; empty if it did not move."""
    folder = PurePosixPath(path).parent.as_posix()
    plain = _resolve_import(path, way)
    new = next(
        (exports[f"{plain}{end}", name] for end in _ENDINGS if (f"{plain}{end}", name) in exports),
        "",
    )
    led = os.path.relpath(new, folder).replace(os.sep, "/") if new else ""
    return led if not led or led.startswith(".") else f"./{led}"
