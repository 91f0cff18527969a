"""The field in which a loop file counts its iterations."""

import json
import re

_FRONT = r"(?m)\A(?P<before>[^\n]*\n(?:(?!---[ \t\r]*$).*\n)*?{key}:[ \t]*)(?P<number>\d+)"
_JSON = r'(?P<before>"{key}"\s*:\s*)(?P<number>\d+)'


def set_count(data: bytes, key: str, number: int) -> bytes:
    """The file with that count; as it was where it has none, or where it cannot be sure."""
    text = data.decode("utf-8", "surrogateescape")
    shape = _JSON if text.lstrip("\ufeff \t\r\n").startswith("{") else _FRONT
    pattern = shape.replace("{key}", re.escape(key))
    changed = re.sub(pattern, rf"\g<before>{number}", text, count=1)
    if shape is _JSON and not _only(key, number, text, changed):
        return data
    return changed.encode("utf-8", "surrogateescape")


def _only(key: str, number: int, before: str, after: str) -> bool:
    """A key of the same name may stand deeper, and before it."""
    try:
        old, new = (json.loads(text.lstrip("\ufeff")) for text in (before, after))
    except (ValueError, RecursionError):
        return False
    return isinstance(old, dict) and key in old and {**old, key: number} == new
