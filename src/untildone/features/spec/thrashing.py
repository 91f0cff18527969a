"""Files that the agent edited again and again without a change since its last stop."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from untildone.engine.payload import EDITING

_THRASHING = 5
_LARGEST = 65_536


def find_thrashed_files(calls: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Files edited five times since the last stop whose content is the same as before."""
    once = {str(call.get("tool_use_id") or id(call)): call for call in calls}
    edits = [_read_edit(call) for call in once.values() if call.get("tool_name") in EDITING]
    counted = Counter(path for path, _ in edits if path)
    before = dict(reversed(edits))
    return tuple(
        path
        for path, number in counted.items()
        if number >= _THRASHING and _read_content(path) == before[path] is not None
    )


def _read_edit(call: Mapping[str, Any]) -> tuple[str, str | None]:
    """The file and its content before the edit; None if the client does not report it."""
    response = call.get("tool_response")
    known = response if isinstance(response, dict) else {}
    path, original = known.get("filePath"), known.get("originalFile")
    return (
        path if isinstance(path, str) and "\0" not in path else "",
        original if isinstance(original, str) else None,
    )


def _read_content(path: str) -> str | None:
    """With universal newlines, as the client reads it."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            return file.read(_LARGEST)
    except (OSError, ValueError):
        return None
