"""Processes of a run that was killed, found by a variable of their environment."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

_PATIENCE = 5.0


def end_marked_processes(name: str, value: str) -> int:
    """Kill other processes that have the variable and return how many; Linux only."""
    mark = b"\0%b=%b\0" % (os.fsencode(name), os.fsencode(value))
    found = set(_find_marked(mark))
    until = time.monotonic() + _PATIENCE
    running = found
    while running and time.monotonic() < until:
        for pid in running:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
        running = set(_find_marked(mark))
        found |= running
    return len(found)


def _find_marked(mark: bytes) -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*/environ"):
        pid = int(path.parent.name)
        # A process that has ended has no environment any more.
        with contextlib.suppress(OSError):
            if pid != os.getpid() and mark in b"\0" + path.read_bytes():
                yield pid
