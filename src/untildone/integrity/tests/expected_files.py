"""Compares the files that hold expected values: snapshots, golden output, fixtures.

A new row in `cases.csv` or a new key in `expected.json` is no concern; a changed or removed one is.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from untildone.commands.invoked_scripts import is_shell_script
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.syntax.languages import language_of_tests
from untildone.worktree.roles import classify_file

# exports[`slugs 1`] = `
_SNAPSHOT_ENTRY = re.compile(r"^exports\[`(.*?)`\] = (`.*?`);$", re.MULTILINE | re.DOTALL)
_DOCUMENT_SUFFIXES = (".md", ".rst", ".adoc", ".gitkeep", ".gitignore", "LICENSE")
_ROW_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson")
_LIST_SUFFIXES = (".yaml", ".yml", ".toml")
# - {text: Hello, slug: hello}
_SEPARATOR = re.compile(r"[,\t\n\[\]{}]|[:=]\s|(?<!\S)-\s")


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Report changed and removed entries; new entries are no concern."""
    for path in filter(
        partial(_is_expected_file, comparison), comparison.changes.edited_or_removed
    ):
        old, new = comparison.old.text(path), comparison.new.text(path)
        if path not in comparison.new:
            reason = f"`{path}`, which tests compare with, was deleted"
        elif not _keeps_entries(path, old, new):
            reason = f"`{path}` is what tests compare with, and its entries changed"
        else:
            continue
        yield comparison.make_concern(ConcernKind.EDIT_EXPECTED, path, reason=reason)


def _is_expected_file(comparison: Comparison, path: str) -> bool:
    """Whether the file holds data of tests; a shell test is a script, not data."""
    is_script = is_shell_script(path, comparison.old.text(path))
    role = classify_file(path) if is_script else comparison.role(path)
    return role == "test" and not language_of_tests(path) and not path.endswith(_DOCUMENT_SUFFIXES)


def _keeps_entries(path: str, old: str, new: str) -> bool:
    if path.endswith(".snap"):
        before, after = dict(_SNAPSHOT_ENTRY.findall(old)), dict(_SNAPSHOT_ENTRY.findall(new))
        return bool(before) and before.items() <= after.items()
    if path.endswith(".json"):
        return _keeps_json(old, new)
    if path.endswith(_ROW_SUFFIXES):
        rows = set(new.splitlines())
        return bool(rows) and all(row in rows for row in old.splitlines())
    return bool(old) and old.split() == new.split() and path.endswith(_LIST_SUFFIXES)


def _keeps_json(old: str, new: str) -> bool:
    try:
        return _is_contained(_decode_json(old), _decode_json(new))
    except RecursionError:
        # Nested too deep to compare, so it counts as changed.
        return False


def _decode_json(text: str) -> Any:  # noqa: ANN401  any JSON
    try:
        return json.loads(text)
    except ValueError:
        return text


def _is_contained(old: Any, new: Any) -> bool:  # noqa: ANN401  any JSON
    """Whether `new` has everything of `old`; a list may have grown at its end."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(key in new and _is_contained(value, new[key]) for key, value in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) <= len(new) and all(map(_is_contained, old, new))
    return type(old) is type(new) and bool(old == new)


def list_scalars(path: str, text: str) -> Iterator[str]:
    """Yield the single values of a data file in the form of normalized literals."""
    if path.endswith(".json"):
        with suppress(RecursionError):
            yield from _list_leaves(_decode_json(text))
    elif path.endswith((*_ROW_SUFFIXES, *_LIST_SUFFIXES)):
        for cell in _SEPARATOR.split(text):
            yield _format_scalar(cell.strip().strip("\"'"))


def _list_leaves(value: Any) -> Iterator[str]:  # noqa: ANN401  any JSON
    if isinstance(value, dict):
        yield from (f'"{key}' for key in value)
        value = list(value.values())
    if isinstance(value, list):
        for element in value:
            yield from _list_leaves(element)
    else:
        yield _format_scalar(value)


def _format_scalar(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return "null" if value is None else str(value).lower()
    try:
        return str(float(str(value)))
    except ValueError:
        return f'"{value}'
