"""Typed access to the fields of another tool's file, such as `max_iterations: 10`.

A missing or wrong value never stops an import: a default is used, and a message about it is kept
in `Fields.defaults`. Fields that the importer never asked for are known at the end.
"""

import re
from collections.abc import Mapping
from typing import TypeAlias, TypeVar

from untildone.core.text import shorten
from untildone.errors import UserError

T = TypeVar("T")
Value: TypeAlias = str | int | float | bool | list["Value"] | dict[str, "Value"] | None
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_MAX_COUNT = 1_000_000
_MAX_SHOWN_CHARACTERS = 40


class Fields:
    """The fields of one file: `values` by key, and the line of each key for error messages."""

    def __init__(self, path: str, values: Mapping[str, Value], lines: Mapping[str, int]) -> None:
        self.path = path
        self._values = values
        self._lines = lines
        self._keys_read: set[str] = set()
        # Messages about values that were missing or wrong, so that a default is used.
        self.defaults: list[str] = []

    def has(self, key: str) -> bool:
        """Say whether the key has a value; `key: null` has none."""
        return self._values.get(key) is not None

    def text(self, key: str) -> str:
        """Return a text; empty if there is none. A number is returned as its digits."""
        value = self._read(key)
        if isinstance(value, str):
            return _replace_surrogates(value).strip()
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        return "" if value is None else self._use_default(key, value, "")

    def count(self, key: str, default: int) -> int:
        """Return a number of 0 or more, also from a text such as `"10"`."""
        value = self._read(key)
        number = _parse_count(value)
        if number is not None:
            return number
        return default if value is None else self._use_default(key, value, default)

    def rounds(self, key: str, default: int) -> int:
        """Return a limit of rounds: like `count`, but a missing one is mentioned in `defaults`."""
        if not self.has(key):
            self.defaults.append(f"`{key}` is missing: {default} is used")
        return self.count(key, default)

    def flag(self, key: str, default: bool) -> bool:
        """Return a boolean: the default if it is missing, in doubt False if it is no boolean."""
        value = self._read(key)
        if isinstance(value, str):
            value = _BOOLEANS.get(value.strip().lower(), value)
        if isinstance(value, bool):
            return value
        return default if value is None else self._use_default(key, value, False)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the texts of a list, without empty ones; none if it is no list of texts."""
        value = self._read(key)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(
                _replace_surrogates(str(item)).strip() for item in value if str(item).strip()
            )
        return () if value is None else self._use_default(key, value, ())

    def group(self, key: str) -> "Fields":
        """Return the fields of a nested object; messages about them go to this object's list."""
        value = self._read(key)
        nested = value if isinstance(value, dict) else {}
        if value is not None and not isinstance(value, dict):
            self._use_default(key, value, "")
        nested_fields = Fields(self.path, nested, self._lines)
        nested_fields.defaults = self.defaults
        return nested_fields

    def groups(self, key: str) -> tuple["Fields", ...]:
        """Return the fields of each object in a list; other entries of it are left out."""
        value = self._read(key)
        if value is not None and not isinstance(value, list):
            self._use_default(key, value, "")
        entries = value if isinstance(value, list) else []
        return tuple(Fields(self.path, entry, {}) for entry in entries if isinstance(entry, dict))

    def items(self) -> Mapping[str, Value]:
        """Return all values by key, without marking them as read."""
        return self._values

    def list_unread_keys(self) -> tuple[str, ...]:
        """Return the keys that were never read, shortened for a message."""
        return tuple(_shorten(key) for key in self._values if key not in self._keys_read)

    def make_error(self, key: str, reason: str, *, hint: str) -> UserError:
        """Return an error that names the file, the line and the key."""
        line = self._lines.get(key)
        where = f"`{self.path}`, line {line}, `{key}`" if line else f"`{self.path}`, `{key}`"
        return UserError(f"{where}: {reason}", hint=hint)

    def _read(self, key: str) -> Value:
        """Return a value and mark its key as read."""
        self._keys_read.add(key)
        return self._values.get(key)

    def _use_default(self, key: str, value: Value, default: T) -> T:
        """Return the default, and keep a message about the wrong value."""
        shown_default = "nothing" if default in ("", ()) else str(default).lower()
        self.defaults.append(f"`{key}` is `{_shorten(value)}`: {shown_default} is used")
        return default


def _parse_count(value: Value) -> int | None:
    """Return the number that `10`, `10.0` or `"10"` means; None for anything else."""
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,9}\s*", value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_COUNT:
        return value
    return None


def _shorten(value: Value) -> str:
    """Return the value as a short text for a message."""
    return shorten(_replace_surrogates(str(value)), _MAX_SHOWN_CHARACTERS)


def _replace_surrogates(text: str) -> str:
    """Return the text with `?` for half a surrogate pair, which JSON allows but UTF-8 does not."""
    return text.encode("utf-8", "replace").decode()
