"""Reads a project's files; an error names the line and column."""

import json
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from untildone.checks.detection.packages import is_package
from untildone.errors import UserError

_FOREIGN_FOLDERS = frozenset(
    ("node_modules", "target", "__pycache__", "venv", "site-packages", "dist", "build", "vendor")
)
_DEEPEST = 5
_MOST_ENTRIES = 20_000


def read_text(path: Path) -> str | None:
    """Return the text of a file, or None if there is no such file."""
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise UserError(
            f"`{path}` cannot be read: {(error.strerror or str(error)).lower()}",
            hint=f"make it readable: `chmod u+r '{path}'`",
        ) from error


def read_json(path: Path) -> dict[str, Any] | None:
    text = read_text(path)
    if text is None:
        return None
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise _make_error(path, error.msg.lower(), line=error.lineno, column=error.colno) from error
    except RecursionError as error:
        raise _make_error(path, "nested too deeply", line=1, column=1) from error
    if not isinstance(value, dict):
        raise _make_error(path, "an object is expected", line=1, column=1)
    return value


def read_toml(path: Path) -> dict[str, Any] | None:
    text = read_text(path)
    if text is None:
        return None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, line, column = locate_toml_error(error, text)
        raise _make_error(path, message.lower(), line=line, column=column) from error
    except RecursionError as error:
        raise _make_error(path, "nested too deeply", line=1, column=1) from error


def locate_toml_error(error: tomllib.TOMLDecodeError, text: str) -> tuple[str, int, int]:
    """Return message, line and column; `(at end of document)` stands for the last line."""
    message, _, position = str(error).partition(" (at ")
    lines = text.split("\n")
    numbers = [int(number) for number in re.findall(r"\d+", position)]
    line, column = numbers or (len(lines), len(lines[-1]) + 1)
    return message, line, column


def read_or_empty(path: Path) -> dict[str, Any]:
    """Return the content of a JSON or TOML file; a missing or broken one counts as empty."""
    try:
        return (read_toml(path) if path.suffix == ".toml" else read_json(path)) or {}
    except UserError:
        return {}


def get_table(value: object, *keys: str) -> dict[str, Any]:
    """Return the table below these keys, an empty one if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def find_first(project: Path, *patterns: str) -> str:
    """Return the path of the first file that matches one of the patterns; "" if none does."""
    for pattern in patterns:
        for path in sorted(project.glob(pattern)):
            if path.is_file():
                return path.relative_to(project).as_posix()
    return ""


def _make_error(path: Path, message: str, *, line: int, column: int) -> UserError:
    return UserError(
        f"`{path}` is broken at line {line}, column {column}: {message}",
        hint=f"fix line {line} of `{path.name}`",
    )


def find_files_by_ending(
    project: Path, endings: tuple[str, ...] = (), *, prefix: str = ""
) -> Iterator[str]:
    """Yield the paths of files with this prefix and one of these endings.

    Files of packages below a project without a manifest are theirs, not the project's.
    """
    entries = 0
    for folder, folders, files in os.walk(project):
        below = Path(folder).relative_to(project)
        entries += len(files) + len(folders)
        if entries > _MOST_ENTRIES:
            return
        if is_package(project, below, files):
            folders.clear()
            continue
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _FOREIGN_FOLDERS
            and len(below.parts) < _DEEPEST
        )
        for name in sorted(files):
            if name.endswith(endings) and name.startswith(prefix):
                yield (below / name).as_posix()
