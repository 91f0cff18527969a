"""Fields of JSON objects that other programs wrote: a field of the wrong type counts as absent."""

import json
from collections.abc import Mapping
from typing import Any


def parse_object(line: str | bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def get_text(fields: Mapping[str, Any], key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def get_number(fields: Mapping[str, Any], key: str) -> float | None:
    value = fields.get(key)
    return float(value) if isinstance(value, int | float) else None


def get_count(fields: Mapping[str, Any], key: str) -> int:
    value = fields.get(key)
    return value if isinstance(value, int) else 0


def get_object(fields: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = fields.get(key)
    return value if isinstance(value, dict) else {}


def get_objects(fields: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = fields.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
