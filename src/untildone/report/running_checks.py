"""Which check runs right now, as the session records it. Standard library only.

The session's file `running` holds the process that runs checks, the phase it is in, and since when
each check runs: `{"process": 4242, "phase": "check", "checks": {"test": {"since": 1767225600.0,
"expected": 480.0}}}`. A process that was killed leaves it behind.
"""

import os
import time

from untildone.report.durations import format_seconds
from untildone.store.sessions import Session

RUNNING = "running"
_TEXTS = {
    "check": "checking {} {}",
    "baseline": "checking {} on the baseline {}",
    "confirming": "confirming {} {}",
    "affected": "confirming {} {}, affected tests first",
}


class RunningCheck:
    """One check that runs; `expected_seconds` is None where no run is remembered."""

    def __init__(
        self, check: str, phase: str, *, seconds: float, expected_seconds: float | None
    ) -> None:
        self.check = check
        self.phase = phase
        self.seconds = seconds
        self.expected_seconds = expected_seconds

    def __str__(self) -> str:
        """Return `checking test 12 s of about 8 min`; a run that takes longer has no estimate."""
        expected = self.expected_seconds or 0
        estimate = f" of about {format_seconds(expected)}" if expected > self.seconds else ""
        return _TEXTS[self.phase].format(self.check, format_seconds(self.seconds) + estimate)


def find_running_check(session: Session) -> RunningCheck | None:
    """Return the check that runs, the first of several; None if its process was killed."""
    running = list_running_checks(session)
    return running[0] if running else None


def list_running_checks(session: Session) -> list[RunningCheck]:
    """Return the checks that run, the first one first; none if their process was killed."""
    record = session.read_json(RUNNING)
    process, phase, checks = record.get("process"), record.get("phase"), record.get("checks")
    if not isinstance(process, int) or not isinstance(checks, dict) or not _is_running(process):
        return []
    now = time.time()
    return [
        RunningCheck(
            name,
            str(phase),
            seconds=max(0.0, now - times["since"]),
            expected_seconds=times["expected"],
        )
        for name, times in checks.items()
    ]


def is_judging(session: Session) -> bool:
    """Say whether a stop of the session is judged now, also while no check runs."""
    process = session.read("judging").strip()
    return process.isdecimal() and _is_running(int(process))


def _is_running(process: int) -> bool:
    """Say whether the process exists; on Windows that would take a program, so it is assumed."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True
