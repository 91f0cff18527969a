"""Compares the files that tests compare results with: snapshots, golden output, tables of cases.

A new row in `tests/cases.csv` or a new key in `tests/expected.json` is no concern; a changed or
removed one is. `list_scalars` lists the single values of such a file.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from untildone.commands.invoked_scripts import is_shell_script
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.syntax.languages import language_of_tests
from untildone.worktree.roles import classify_file

# exports[`slugs 1`] = `
_SNAPSHOT_ENTRY = compile_late(r"^exports\[`(.*?)`\] = (`.*?`);$", re.MULTILINE | re.DOTALL)
_IGNORED_SUFFIXES = (".md", ".rst", ".adoc", ".gitkeep", ".gitignore", "LICENSE")
_ROW_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson")
_YAML_SUFFIXES = (".yaml", ".yml", ".toml")
# What stands between values: `- {text: Hello, slug: hello}`, `slug = "hello"`, `Hello,hello`
_SEPARATOR = compile_late(r"[,\t\n\[\]{}]|[:=]\s|(?<!\S)-\s")


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each expected file that was deleted or lost or changed an entry."""
    for path in comparison.changes.edited_or_removed:
        if not _is_expected_file(comparison, path):
            continue
        if path not in comparison.new:
            reason = f"`{path}`, which tests compare with, was deleted"
        elif not _keeps_entries(path, comparison.old.text(path), comparison.new.text(path)):
            reason = f"`{path}` is what tests compare with, and its entries changed"
        else:
            continue
        yield comparison.make_concern(ConcernKind.EDIT_EXPECTED, path, reason=reason)


def _is_expected_file(comparison: Comparison, path: str) -> bool:
    """Whether the file belongs to the tests and is neither source in a language nor a document."""
    # A shell test such as `tests/smoke.sh` counts as data, also if a check runs it and its role is
    # "script": `integrity/scripts` compares only which tools it calls.
    is_shell = is_shell_script(path, comparison.old.text(path))
    role = classify_file(path) if is_shell else comparison.role(path)
    return role == "test" and not language_of_tests(path) and not path.endswith(_IGNORED_SUFFIXES)


def _keeps_entries(path: str, old: str, new: str) -> bool:
    """Whether all entries of the old text are in the new one, unchanged.

    Of YAML and TOML only the blanks may change. A file of another kind, or one in which no entry is
    found, counts as changed.
    """
    if path.endswith(".snap"):
        old_entries, new_entries = map(dict, map(_SNAPSHOT_ENTRY.findall, (old, new)))
        return bool(old_entries) and old_entries.items() <= new_entries.items()
    if path.endswith(".json"):
        try:
            return _is_contained(_decode_json(old), _decode_json(new))
        except RecursionError:
            # Nested too deep to compare, so it counts as changed.
            return False
    if path.endswith(_ROW_SUFFIXES):
        new_rows = set(new.splitlines())
        return bool(new_rows) and new_rows.issuperset(old.splitlines())
    # Of other files no entries are known: only the spaces of a settings format may change.
    return path.endswith(_YAML_SUFFIXES) and bool(old) and old.split() == new.split()


def _decode_json(text: str) -> Any:  # noqa: ANN401  any JSON
    """Return the JSON value, or the text itself if it is no JSON."""
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
    # True equals 1 in Python, but not in JSON.
    return type(old) is type(new) and bool(old == new)


def list_scalars(path: str, text: str) -> Iterator[str]:
    """Yield the keys and single values of a data file, normalized as literals of tests are.

    Of `{"total": 10}` they are `"total` and `10.0`.
    """
    if path.endswith(".json"):
        with suppress(RecursionError):
            yield from _list_json_scalars(_decode_json(text))
    elif path.endswith((*_ROW_SUFFIXES, *_YAML_SUFFIXES)):
        for cell in _SEPARATOR.split(text):
            yield _normalize_scalar(cell.strip().strip("\"'"))


def _list_json_scalars(value: Any) -> Iterator[str]:  # noqa: ANN401  any JSON
    """Yield the keys and single values in a JSON value at any depth."""
    if isinstance(value, dict):
        yield from (f'"{key}' for key in value)
        value = list(value.values())
    if isinstance(value, list):
        for element in value:
            yield from _list_json_scalars(element)
    else:
        yield _normalize_scalar(value)


def _normalize_scalar(value: object) -> str:
    """Return `true`, `null`, `10.0` for 10 or "10", and `"EUR` for a text."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    try:
        return str(float(str(value)))
    except ValueError:
        return f'"{value}'
