"""The field in which a loop file counts its iterations."""

import json
import re

_FRONT = r"(?m)\A(?P<before>[^\n]*\n(?:(?!---[ \t\r]*$).*\n)*?{key}:[ \t]*)(?P<number>\d+)"
_JSON = r'(?P<before>"{key}"\s*:\s*)(?P<number>\d+)'


def set_count(data: bytes, key: str, number: int) -> bytes:
    """The file with that count; unchanged if it has none or another key might be meant."""
    text = data.decode("utf-8", "surrogateescape")
    shape = _JSON if text.lstrip("\ufeff \t\r\n").startswith("{") else _FRONT
    pattern = shape.replace("{key}", re.escape(key))
    changed = re.sub(pattern, rf"\g<before>{number}", text, count=1)
    if shape is _JSON and not _changed_only(key, number, text, changed):
        return data
    return changed.encode("utf-8", "surrogateescape")


def _changed_only(key: str, number: int, before: str, after: str) -> bool:
    """False if the edit hit a nested key of the same name."""
    try:
        old, new = (json.loads(text.lstrip("\ufeff")) for text in (before, after))
    except (ValueError, RecursionError):
        return False
    return isinstance(old, dict) and key in old and {**old, key: number} == new
