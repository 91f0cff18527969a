"""Warns in `untildone doctor` about active loops of other tools.

Two tools that both hold the agent would fight over each of its stops.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.features.importers.formats import LOOP_FORMATS
from untildone.features.importers.loop_file import read_loop_file
from untildone.report.doctor import Problem, make_error

# State files of oh-my-claudecode, whose loops cannot be imported but are active all the same.
_NOT_IMPORTED = (".omc/state/sessions/*/ralph-state.json", ".omc/state/ralph-state.json")
# What a file that we cannot read says of a loop that is over:
# active: false; "active": false; status: complete
_FINISHED_STATE = re.compile(
    rb"""^\W*(?:active"?\s*:\s*false|status"?\s*:\s*"?(?:complete|done|cancel|stopped))""",
    re.MULTILINE | re.IGNORECASE,
)
_MAX_BYTES = 4_096


def report_active_loops(_: Context, project: Path) -> Iterator[Problem]:
    """Yield a problem for each state file of another tool whose loop seems active."""
    for path in _list_state_files(project):
        if _is_active(project, path):
            name = path.relative_to(project)
            text = f"another tool's loop seems active: `{name}`; two loops fight over each stop"
            yield make_error("another loop", text, f"end it there, or `rm {name}`")


def _list_state_files(project: Path) -> Iterator[Path]:
    """Yield the existing files in which other tools keep the state of a loop."""
    # A tool that reads files at stops is active only by those; of another tool every file counts.
    patterns = (tool.AT_STOPS or tool.PATHS for tool in LOOP_FORMATS.values())
    for pattern in chain(*patterns, _NOT_IMPORTED):
        yield from (path for path in sorted(project.glob(pattern)) if path.is_file())


def _is_active(project: Path, path: Path) -> bool:
    """Say whether the file describes a loop that is not over; in doubt it does."""
    try:
        loop = read_loop_file(project, path).loop
    except FileNotFoundError:
        return False
    except UserError:
        # Its own tool may read what we cannot.
        return not _says_finished(path)
    # A format without a counter is a list of work, not the state of a loop.
    return loop.active and bool(loop.counter_key)


def _says_finished(path: Path) -> bool:
    """Say whether the beginning of the file says that its loop is over."""
    with suppress(OSError), path.open("rb") as file:
        return _FINISHED_STATE.search(file.read(_MAX_BYTES)) is not None
    return False
