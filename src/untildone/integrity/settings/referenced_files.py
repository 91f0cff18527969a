"""Files of the project that a configuration takes up: what it extends, imports or runs."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from untildone.integrity.settings.parsing import is_configuration, parse_settings
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

# A part of the configuration by what it says, wherever it lies.
_EXTENDING = re.compile(r"(.*\.)?(extends?|preset|presets)")
_RUNNING = re.compile(
    r"(.*\.)?(setupFiles(AfterEnv)?|global(Setup|Teardown)|testEnvironment|runner|testRunner"
    r"|reporters|testSequencer|transform\..*|resolver|require|import)"
)
_IMPORTED = re.compile(r"(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*['\"](\.{1,2}/[^'\"]+)['\"]")
_PLUGGED = re.compile(r"(?ms)^pytest_plugins\s*[:=][^\n]*?((?:\[|\().*?[\])]|['\"][\w.]+['\"])")
_LOADING = re.compile(r"(.*\.)?(mypy\.plugins|load-plugins|local-plugins\..*)")
_SCRIPT = re.compile(r".*\.[cm]?[jt]s")
_ENDINGS = ("", ".js", ".mjs", ".cjs", ".ts", ".json", "/index.js", "/index.ts", "/index.mjs")
# A configuration may also import the product, which is the agent's to change.
_APART = re.compile(
    r"(^|.*/)(\w*config\w*|eslint\w*|lint\w*|tooling|tools|build|scripts?|presets?|rules?|plugins?)/.*"
    r"|(.*/)?[\w.-]*(config|eslint|lint|rules?|preset|setup)[\w.-]*",
    re.IGNORECASE,
)
_PRODUCT = re.compile(r"(^|.*/)(src|lib|app|server|client|pages|components)/.*")
_FURTHEST = 4


def find_referenced_files(tree: Tree) -> frozenset[str]:
    """Only what its own name does not tell."""
    found: set[str] = set()
    waiting = [path for path in tree if is_configuration(path) or path.endswith("conftest.py")]
    for _ in range(_FURTHEST):
        waiting = [
            path
            for each in waiting
            for path in dict.fromkeys(_named(tree, each))
            if path not in found and classify_file(path) == "product"
        ]
        found.update(waiting)
    return frozenset(found)


def _named(tree: Tree, path: str) -> Iterator[str]:
    text = tree.text(path)
    if _SCRIPT.fullmatch(path):
        yield from filter(_is_apart, _places(tree, path, _IMPORTED.findall(text)))
    yield from filter(_is_apart, _modules(tree, path, text))
    for key, values in parse_settings(path, text).items():
        names = [str(value).replace("<rootDir>", ".") for value in values]
        if _EXTENDING.fullmatch(key):
            yield from _places(tree, path, names)
        elif _RUNNING.fullmatch(key):
            yield from filter(_is_apart, _places(tree, path, names))


def _modules(tree: Tree, path: str, text: str) -> Iterator[str]:
    """Of Python, by their dotted names."""
    said = _PLUGGED.findall(text) if path.endswith("conftest.py") else []
    for key, values in parse_settings(path, text).items():
        if key.endswith("addopts"):
            said += re.findall(r"(?<!\S)-p[ ,]*([\w.]+)(?![\w:])", ",".join(map(str, values)))
        elif _LOADING.fullmatch(key):
            said += map(str, values)
    for name in re.findall(r"[\w.]+", " ".join(said)):
        place = name.replace(".", "/")
        yield from (each for each in (f"{place}.py", f"{place}/__init__.py") if each in tree)


def _places(tree: Tree, beside: str, names: list[str]) -> Iterator[str]:
    folder = PurePosixPath(beside).parent
    for name in names:
        parts: list[str] = []
        for part in (folder / name).parts:
            parts = parts[:-1] if part == ".." else [*parts, part]
        plain = "/".join(parts)
        yield from (f"{plain}{end}" for end in _ENDINGS if f"{plain}{end}" in tree)


def _is_apart(path: str) -> bool:
    return bool(_APART.fullmatch(path)) and not _PRODUCT.fullmatch(path)
