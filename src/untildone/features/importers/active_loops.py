"""Finds active loops of other tools: two loops would fight over each stop of the agent."""

import re
from collections.abc import Iterator
from pathlib import Path

from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.features.importers.formats import LOOP_FORMATS
from untildone.features.importers.loop_file import read_loop_file
from untildone.report.doctor import Problem, make_error

# oh-my-claudecode's loops cannot be imported.
_NOT_IMPORTED = (".omc/state/sessions/*/ralph-state.json", ".omc/state/ralph-state.json")
# active: false; "active": false; status: complete
_OVER = re.compile(
    rb"""^\W*(?:active"?\s*:\s*false|status"?\s*:\s*"?(?:complete|done|cancel|stopped))""",
    re.MULTILINE | re.IGNORECASE,
)
_LONGEST_READ = 4_096


def report_active_loops(_: Context, project: Path) -> Iterator[Problem]:
    for path in _list_state_files(project):
        if _is_active(project, path):
            place = path.relative_to(project)
            text = f"another tool's loop seems active: `{place}`; two loops fight over each stop"
            yield make_error("another loop", text, f"end it there, or `rm {place}`")


def _list_state_files(project: Path) -> Iterator[Path]:
    patterns = [
        pattern
        for loop_format in LOOP_FORMATS.values()
        for pattern in loop_format.AT_STOPS or loop_format.PATHS
    ]
    for pattern in (*patterns, *_NOT_IMPORTED):
        yield from (path for path in sorted(project.glob(pattern)) if path.is_file())


def _is_active(project: Path, path: Path) -> bool:
    try:
        loop = read_loop_file(project, path).loop
    except FileNotFoundError:
        return False
    except UserError:
        # Its own tool may read what we cannot.
        return not _OVER.search(_read_beginning(path))
    # A format without a counter is a list of work, not the state of a loop.
    return loop.active and bool(loop.counter)


def _read_beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST_READ)
    except OSError:
        return b""
