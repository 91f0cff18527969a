"""Records in a session which of its checks run, so that the user sees what a stop waits for."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TypeAlias

from untildone.checks.parallel_run import ProgressCallback
from untildone.checks.result_cache import ResultCache
from untildone.core.check_results import CheckPhase, CheckResult
from untildone.core.contract import Check
from untildone.core.time_limits import estimate_seconds
from untildone.report.running_checks import RUNNING
from untildone.store.sessions import Session

# When each running check began, and how long it will take, by name.
_Running: TypeAlias = dict[str, dict[str, float | None]]
_lock = Lock()
# The runs of this process by the session's folder, the first one first: while it goes on, that
# one is shown.
_runs: list[tuple[str, CheckPhase, _Running]] = []


@contextmanager
def record_progress(
    session: Session, phase: CheckPhase, history: ResultCache
) -> Iterator[ProgressCallback]:
    """Yield a callback for `run_checks` that writes the session's file `running`.

    The file is removed when no check runs any more, also if the run is ended by a signal.
    """
    running: _Running = {}

    def report(check: Check, result: CheckResult | None) -> None:
        with _lock:
            if result is None:
                past = history.load_past_runs(check) if phase != "affected" else ()
                expected = estimate_seconds(past)
                running[check.name] = {"since": time.time(), "expected": expected}
            else:
                running.pop(check.name, None)
            _write(session)

    run = (session.folder, phase, running)
    with _lock:
        _runs.append(run)
    try:
        yield report
    finally:
        with _lock:
            _runs[:] = [other for other in _runs if other is not run]
            _write(session)


def join_callbacks(*callbacks: ProgressCallback) -> ProgressCallback:
    def report(check: Check, result: CheckResult | None) -> None:
        for callback in callbacks:
            callback(check, result)

    return report


def _write(session: Session) -> None:
    """Write what runs, or remove the file."""
    process = os.getpid()
    runs = (run for run in _runs if run[0] == session.folder and run[2])
    _, phase, running = next(runs, ("", "check", {}))
    try:
        if running:
            session.write_json(RUNNING, {"process": process, "phase": phase, "checks": running})
        # The checks on the baseline run in another process, which may have written it.
        elif session.read_json(RUNNING).get("process") == process:
            session.remove(RUNNING)
    except OSError:
        # A full disk costs the display, never the verdict.
        return
