"""The processes that keep a project's language servers warm, as the tests find and end them."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from untildone.process.runner import list_ancestors

PATIENCE = 60.0


def keepers(project: Path) -> list[int]:
    pids = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    found = [pid for pid in pids if _is_keeper(pid, project)]
    # What they are just starting has their command line for a moment, and then another one; a
    # process that has ended has no ancestors any more.
    outermost = [pid for pid in found if not set(list_ancestors(pid)) & set(found)]
    return [pid for pid in outermost if _is_keeper(pid, project)]


def _is_keeper(pid: int, project: Path) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return str(project).encode() in words and b"diagnose" in words


def end_keepers(project: Path) -> None:
    def ended() -> bool:
        # Again and again: one that waited for another's end may have taken its place.
        found = keepers(project)
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        return not found

    assert wait_until(ended)


def wait_until(holds: Callable[[], object]) -> bool:
    end = time.monotonic() + PATIENCE
    # Asked once more it may not hold any longer: a busy machine answers late.
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.02)
    return bool(held)
