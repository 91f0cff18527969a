"""Files of the project that a configuration refers to: what it extends, imports or runs.

`eslint.config.js` with `import rules from "./tooling/rules.js"` refers to `tooling/rules.js`.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from untildone.core.late_patterns import compile_late
from untildone.integrity.settings.parsing import is_configuration, read_settings
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

# Keys that name a part of the configuration, wherever it lies.
_EXTENDS = compile_late(r"(.*\.)?(extends?|preset|presets)")
# Keys that name code which the tool runs.
_RUNS = compile_late(
    r"(.*\.)?(setupFiles(AfterEnv)?|global(Setup|Teardown)|testEnvironment|runner|testRunner"
    r"|reporters|testSequencer|transform\..*|resolver|require|import)"
)
_IMPORT = compile_late(r"(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*['\"](\.{1,2}/[^'\"]+)['\"]")
# pytest_plugins = ["tools.plugin"]
_PYTEST_PLUGINS = compile_late(
    r"(?ms)^pytest_plugins\s*[:=][^\n]*?((?:\[|\().*?[\])]|['\"][\w.]+['\"])"
)
_LOADS_PLUGINS = compile_late(r"(.*\.)?(mypy\.plugins|load-plugins|local-plugins\..*)")
_SCRIPT = compile_late(r".*\.[cm]?[jt]s")
_ENDINGS = ("", ".js", ".mjs", ".cjs", ".ts", ".json", "/index.js", "/index.ts", "/index.mjs")
# Files that belong to the configuration by their names. It may also import the product, which the
# agent may change.
_TOOLING = compile_late(
    r"(^|.*/)(\w*config\w*|eslint\w*|lint\w*|tooling|tools|build|scripts?|presets?|rules?|plugins?)/.*"
    r"|(.*/)?[\w.-]*(config|eslint|lint|rules?|preset|setup)[\w.-]*",
    re.IGNORECASE,
)
_PRODUCT = compile_late(r"(^|.*/)(src|lib|app|server|client|pages|components)/.*")
_MAX_STEPS = 4


def find_referenced_files(tree: Tree) -> frozenset[str]:
    """Return the referenced files whose own names do not mark them as configuration."""
    found: set[str] = set()
    pending = [path for path in tree if is_configuration(path) or path.endswith("conftest.py")]
    for _ in range(_MAX_STEPS):
        pending = [
            path
            for source in pending
            for path in dict.fromkeys(_find_references(tree, source))
            if path not in found and classify_file(path) == "product"
        ]
        found.update(pending)
    return frozenset(found)


def _find_references(tree: Tree, path: str) -> Iterator[str]:
    """Yield the files that one file refers to."""
    if _SCRIPT.fullmatch(path):
        imports = _IMPORT.findall(tree.text(path))
        yield from filter(_is_tooling, _resolve(tree, path, imports))
    yield from filter(_is_tooling, _find_python_modules(tree, path))
    for key, values in read_settings(tree, path).items():
        names = [str(value).replace("<rootDir>", ".") for value in values]
        if _EXTENDS.fullmatch(key):
            yield from _resolve(tree, path, names)
        elif _RUNS.fullmatch(key):
            yield from filter(_is_tooling, _resolve(tree, path, names))


def _find_python_modules(tree: Tree, path: str) -> Iterator[str]:
    """Yield the files of Python plugins, which are named by their modules."""
    names = _PYTEST_PLUGINS.findall(tree.text(path)) if path.endswith("conftest.py") else []
    for key, values in read_settings(tree, path).items():
        if key.endswith("addopts"):
            # addopts = -p tools.plugin
            names += re.findall(r"(?<!\S)-p[ ,]*([\w.]+)(?![\w:])", ",".join(map(str, values)))
        elif _LOADS_PLUGINS.fullmatch(key):
            names += map(str, values)
    for name in re.findall(r"[\w.]+", " ".join(names)):
        stem = name.replace(".", "/")
        yield from (file for file in (f"{stem}.py", f"{stem}/__init__.py") if file in tree)


def _resolve(tree: Tree, source: str, names: list[str]) -> Iterator[str]:
    """Yield the files that the names in the file `source` stand for, with or without a suffix."""
    for name in names:
        path = resolve_beside(source, name)
        yield from (f"{path}{ending}" for ending in _ENDINGS if f"{path}{ending}" in tree)


def resolve_beside(path: str, name: str) -> str:
    """Return the path of `name` as the file at `path` writes it: `../base`."""
    parts: list[str] = []
    for part in (PurePosixPath(path).parent / name).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


def _is_tooling(path: str) -> bool:
    return bool(_TOOLING.fullmatch(path)) and not _PRODUCT.fullmatch(path)
