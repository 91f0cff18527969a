"""Ending a process together with everything below it."""

import contextlib
import os
import signal
import subprocess
import sys


def kill_tree(pid: int) -> None:
    """Kills `pid` and its descendants, also those in sessions of their own."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(pid)], check=False, capture_output=True)
        return
    for member in (pid, *descendants(pid)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(member, signal.SIGKILL)


def running(pid: int) -> bool:
    """Whether the process exists and is more than an entry nobody has reaped yet."""
    argv = ["ps", "-o", "stat=", "-p", str(pid)]
    state = subprocess.run(argv, check=False, capture_output=True, text=True).stdout.strip()
    return bool(state) and not state.startswith("Z")


def descendants(pid: int) -> tuple[int, ...]:
    listing = subprocess.run(
        ["ps", "-eo", "pid=,ppid="], check=True, capture_output=True, text=True
    ).stdout
    parents = {int(child): int(parent) for child, parent in map(str.split, listing.splitlines())}
    found = [pid]
    for ancestor in found:
        found += [child for child, parent in parents.items() if parent == ancestor]
    return tuple(found[1:])
