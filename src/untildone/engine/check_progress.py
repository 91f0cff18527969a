"""Records in a session which of its checks run, so that the user sees what a stop waits for."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from untildone.checks.parallel_run import ProgressCallback
from untildone.checks.result_cache import ResultCache
from untildone.core.check_results import CheckPhase, CheckResult
from untildone.core.contract import Check
from untildone.core.time_limits import estimate_seconds
from untildone.report.running_checks import RUNNING
from untildone.store.sessions import Session


@contextmanager
def record_progress(
    session: Session, phase: CheckPhase, history: ResultCache
) -> Iterator[ProgressCallback]:
    """Yield a callback for `run_checks` that writes the session's file `running`.

    The file is removed when no check runs any more, also if the run is ended by a signal.
    """
    lock = Lock()
    running: dict[str, dict[str, float | None]] = {}

    def report(check: Check, result: CheckResult | None) -> None:
        with lock:
            if result is None:
                past = history.load_past_runs(check) if phase != "affected" else ()
                expected = estimate_seconds(past)
                running[check.name] = {"since": time.time(), "expected": expected}
            else:
                running.pop(check.name, None)
            _write(session, phase, running)

    try:
        yield report
    finally:
        _write(session, phase, {})


def join_callbacks(*callbacks: ProgressCallback) -> ProgressCallback:
    def report(check: Check, result: CheckResult | None) -> None:
        for callback in callbacks:
            callback(check, result)

    return report


def _write(
    session: Session, phase: CheckPhase, running: dict[str, dict[str, float | None]]
) -> None:
    process = os.getpid()
    try:
        if running:
            session.write_json(RUNNING, {"process": process, "phase": phase, "checks": running})
        # The checks on the baseline run in another process, which may have written it.
        elif session.read_json(RUNNING).get("process") == process:
            session.remove(RUNNING)
    except OSError:
        # A full disk costs the display, never the verdict.
        return
