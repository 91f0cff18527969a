"""The fields of a file, read by key; a value of the wrong type is replaced by a default."""

import re
from collections.abc import Mapping
from typing import TypeAlias, TypeVar

from untildone.errors import UserError

T = TypeVar("T")
Value: TypeAlias = str | int | float | bool | list["Value"] | dict[str, "Value"] | None
_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_LARGEST = 1_000_000
_LONGEST_SHOWN = 40


class Fields:
    """`defaults` describes the replaced values; keys that were never read are left over."""

    def __init__(self, path: str, values: Mapping[str, Value], lines: Mapping[str, int]) -> None:
        self.path = path
        self._values = values
        self._lines = lines
        self._taken: set[str] = set()
        self.defaults: list[str] = []

    def has(self, key: str) -> bool:
        return self._values.get(key) is not None

    def text(self, key: str) -> str:
        """Empty if there is none; a number is returned as its digits."""
        value = self._take(key)
        if isinstance(value, str):
            return _replace_surrogates(value).strip()
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        return "" if value is None else self._use_default(key, value, "")

    def count(self, key: str, default: int) -> int:
        value = self._take(key)
        number = _parse_count(value)
        if number is not None:
            return number
        return default if value is None else self._use_default(key, value, default)

    def rounds(self, key: str, default: int) -> int:
        """Like `count`, but a missing bound is mentioned in `defaults`."""
        if not self.has(key):
            self.defaults.append(f"`{key}` is missing: {default} is used")
        return self.count(key, default)

    def flag(self, key: str, default: bool) -> bool:
        value = self._take(key)
        if isinstance(value, str):
            value = _WORDS.get(value.strip().lower(), value)
        if isinstance(value, bool):
            return value
        return default if value is None else self._use_default(key, value, False)

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._take(key)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(
                _replace_surrogates(str(item)).strip() for item in value if str(item).strip()
            )
        return () if value is None else self._use_default(key, value, ())

    def group(self, key: str) -> "Fields":
        value = self._take(key)
        known = value if isinstance(value, dict) else {}
        if value is not None and not isinstance(value, dict):
            self._use_default(key, value, "")
        inner = Fields(self.path, known, self._lines)
        inner.defaults = self.defaults
        return inner

    def items(self) -> Mapping[str, Value]:
        return self._values

    def left_over(self) -> tuple[str, ...]:
        return tuple(_shorten(key) for key in self._values if key not in self._taken)

    def make_error(self, key: str, reason: str, *, hint: str) -> UserError:
        line = self._lines.get(key)
        where = f"`{self.path}`, line {line}, `{key}`" if line else f"`{self.path}`, `{key}`"
        return UserError(f"{where}: {reason}", hint=hint)

    def _take(self, key: str) -> Value:
        self._taken.add(key)
        return self._values.get(key)

    def _use_default(self, key: str, value: Value, default: T) -> T:
        used = "nothing" if default in ("", ()) else str(default).lower()
        self.defaults.append(f"`{key}` is `{_shorten(value)}`: {used} is used")
        return default


def _parse_count(value: Value) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,9}\s*", value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST:
        return value
    return None


def _shorten(value: Value) -> str:
    text = _replace_surrogates(str(value))
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 2] + " …"


def _replace_surrogates(text: str) -> str:
    """JSON can contain half of a surrogate pair, which cannot be encoded."""
    return text.encode("utf-8", "replace").decode()
