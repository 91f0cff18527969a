"""Finds thrashing: the agent edits a file again and again, and it ends up as it was.

The input is the recorded tool calls since the last stop; Claude Code reports the content of a file
before each edit.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from untildone.engine.payload import EDITING

_MIN_EDITS = 5
# A longer file is never found: only so much of it is compared with the content before.
_MAX_CHARACTERS = 65_536


def find_thrashed_files(calls: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the files edited five times since the last stop whose content is as before."""
    # A call may be recorded more than once.
    unique_calls = {str(call.get("tool_use_id") or id(call)): call for call in calls}
    edits = [_read_edit(call) for call in unique_calls.values() if call.get("tool_name") in EDITING]
    edit_counts = Counter(path for path, _ in edits if path)
    # Reversed, so that the first edit of a file counts: the content before all of them.
    content_before = dict(reversed(edits))
    return tuple(
        path
        for path, number in edit_counts.items()
        if number >= _MIN_EDITS
        and content_before[path] is not None
        and content_before[path] == _read_content(path)
    )


def _read_edit(call: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return the file and its content before the edit; None if the agent does not report it."""
    response = call.get("tool_response")
    reported = response if isinstance(response, dict) else {}
    path, original = reported.get("filePath"), reported.get("originalFile")
    return (
        path if isinstance(path, str) and "\0" not in path else "",
        original if isinstance(original, str) else None,
    )


def _read_content(path: str) -> str | None:
    """Return the file's content now, with `\\n` at line ends, as the agent reports contents."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            return file.read(_MAX_CHARACTERS)
    except (OSError, ValueError):
        return None
