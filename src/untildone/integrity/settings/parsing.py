"""Configuration files as flat settings: every value by its dotted key, whatever the format.

`[tool.ruff.lint]` with `select = ["E", "F"]` is `{"ruff.lint.select": ("E", "F")}`.
"""

import configparser
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import TypeAlias

import yaml

from untildone.core.late_patterns import compile_late
from untildone.integrity.settings.formats import FORMATS, Format, Scalar
from untildone.worktree.contents import Tree

# A key has several values if it is a list.
Values: TypeAlias = tuple[Scalar, ...]
Settings: TypeAlias = dict[str, Values]

_MAX_DEPTH = 40
# YAML aliases may stand for more values than fit into memory.
_MAX_VALUES = 20_000
# Nobody writes such a line, and some readers need quadratic time for it.
_MAX_LINE_LENGTH = 10_000
# pytest takes several paths or patterns from one line.
_SPLIT_AT_BLANKS = compile_late(
    r"pytest\.(testpaths|pythonpath|norecursedirs|python_(files|classes|functions))"
)
# The same setting has the same key in every file that may hold it.
_RENAMED_KEYS = (
    (compile_late(r"^tool\.pytest\.ini_options\."), "pytest."),
    (compile_late(r"^tool\."), ""),
    (compile_late(r"^tool:pytest\."), "pytest."),
    (compile_late(r"^coverage:"), "coverage."),
    (compile_late(r"^eslintConfig\."), "eslint."),
    (compile_late(r"^c8\.|^nyc\."), "coverage."),
    (compile_late(r"^ruff\.(?=ruff\.)"), ""),
    (
        compile_late(r"^(ruff)\.(select|ignore|extend-select|extend-ignore|per-file-ignores)\b"),
        r"\1.lint.\2",
    ),
    (compile_late(r"^pytest\.pytest\."), "pytest."),
    (compile_late(r"^tox\.envlist$"), "tox.env_list"),
)


def read_settings(tree: Tree, path: str) -> Settings:
    """Return the settings of a file, parsed once per tree; empty if it is missing."""
    return tree.fact(_parse_file, path)


def list_configurations(tree: Tree) -> tuple[str, ...]:
    """Return the paths of all configuration files of the tree."""
    return tree.fact(_list_configurations, "")


def _parse_file(tree: Tree, path: str) -> Settings:
    return parse_settings(path, tree.text(path))


def _list_configurations(tree: Tree, _path: str) -> tuple[str, ...]:
    return tuple(filter(is_configuration, tree))


def is_configuration(path: str) -> bool:
    """Say whether the file has one of the known formats, by its path."""
    return _find_format(path) is not None


def parse_settings(path: str, text: str) -> Settings:
    """Return the settings of a text; empty if it is no configuration or cannot be read."""
    file_format = _find_format(path)
    if file_format is None or any(len(line) > _MAX_LINE_LENGTH for line in text.splitlines()):
        return {}
    try:
        document = file_format.read(text)
    except (ValueError, RecursionError, configparser.Error, yaml.YAMLError):
        return {}
    found: dict[str, list[Scalar]] = {}
    for key, value in islice(_flatten(document, file_format.prefix, 0), _MAX_VALUES):
        if not isinstance(value, _Container):
            found.setdefault(_normalize_key(key), []).append(value)
    return {key: tuple(_split_values(key, values)) for key, values in found.items()}


def find_tool(key: str) -> str:
    """Return `mypy` for `mypy.strict` and for `mypy-tests.*.strict`."""
    return re.split(r"[.-]", key, maxsplit=1)[0]


@lru_cache(maxsize=65_536)
def _find_format(path: str) -> Format | None:
    name = path.rpartition("/")[2]
    matching = (row for row in FORMATS if row.paths.fullmatch(name) or row.paths.fullmatch(path))
    return next(matching, None)


class _Container:
    """Stands for a value that holds others, so that it counts towards the limit too."""


def _flatten(value: object, key: str, depth: int) -> Iterator[tuple[str, Scalar | _Container]]:
    """Yield the values in a document with their dotted keys."""
    if isinstance(value, dict) and depth < _MAX_DEPTH:
        yield key, _Container()
        for name, inner in value.items():
            yield from _flatten(inner, f"{key}.{name}" if key else str(name), depth + 1)
    elif isinstance(value, list | tuple) and depth < _MAX_DEPTH:
        # An empty list is a setting, unlike a key that is missing.
        yield key, _Container() if value else None
        for inner in value:
            yield from _flatten(inner, key, depth + 1)
    elif isinstance(value, str | int | float | bool) or value is None:
        yield key, value


def _split_values(key: str, values: list[Scalar]) -> Iterator[Scalar]:
    is_split = _SPLIT_AT_BLANKS.fullmatch(key) is not None
    for value in values:
        yield from value.split() if is_split and isinstance(value, str) else (value,)


def _normalize_key(key: str) -> str:
    for pattern, name in _RENAMED_KEYS:
        key = pattern.sub(name, key)
    return key
