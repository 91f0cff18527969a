"""Runs checks within the deadline of a stop; they end early when the user ends the loop."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.engine.payload import Call
from untildone.store.sessions import Session

if TYPE_CHECKING:
    from threading import Event

    from untildone.checks.parallel_run import ProgressCallback, RunOptions
    from untildone.sandbox.sandboxes import Sandbox

# The client ends a Stop hook at 3600 s (`init` sets it); ours ends before, with an answer.
DEADLINE = 3_500.0


class Site(Struct, frozen=True, kw_only=True):
    """Where and until when: `end` is a time of the monotonic clock."""

    project: Path
    log: Path | None
    session: Session
    end: float
    # What all sessions of the project share: one run at a time, and what it came to.
    shared: Path
    # Where the loop's files are, and the digest of its baseline, or why there is none.
    loop: Path
    kept: str = ""
    unkept: str = ""


def compute_deadline(call: Call) -> float:
    """One deadline for all of a stop, counted from its arrival."""
    return call.began + DEADLINE


def run(
    checks: Sequence[Check],
    site: Site,
    *,
    fresh: bool = False,
    place: "Sandbox | None" = None,
    report: "ProgressCallback | None" = None,
) -> tuple[tuple[CheckResult, ...], str]:
    """The results, and our fault if the deadline came first."""
    if not checks:
        return (), ""
    # Imported where it is used: a stop without checks must not pay for it.
    from untildone.checks.parallel_run import RunOptions, ignore_progress, run_checks
    from untildone.checks.result_cache import ResultCache
    from untildone.process.command import filter_environment
    from untildone.process.runner import end_runs_on_signal
    from untildone.store.lock import hold_lock

    memory = ResultCache(
        site.shared / "checks", filter_environment(os.environ), serve_green=not fresh
    )
    site.shared.mkdir(parents=True, exist_ok=True, mode=0o700)
    patience = max(1.0, site.end - time.monotonic())
    with (
        end_runs_on_signal(),
        watch_for_end(site) as (stop, late),
        hold_lock(site.shared / "checks.lock", timeout=patience),
    ):
        running = RunOptions(project=site.project, logs=site.log, cache=memory, stop=stop)
        running = _move_to_sandbox(running, place) if place else running
        results = run_checks(checks, running, report=report or ignore_progress)
    minutes = DEADLINE / 60
    return results, f"the checks did not end within {minutes:.0f} minutes" if late.is_set() else ""


def _move_to_sandbox(running: "RunOptions", place: "Sandbox") -> "RunOptions":
    logs = running.logs / "replay" if running.logs else None
    return replace(
        running,
        project=place.project,
        environ=place.environ,
        wrapper_argv=place.wrapper_argv,
        written_project=place.written_project,
        logs=logs,
        cache=None,
    )


@contextmanager
def watch_for_end(site: Site) -> Iterator[tuple["Event", "Event"]]:
    """Yields two events: `stop` ends the checks, `late` says that the deadline was the reason."""
    import threading

    stop, late, over = threading.Event(), threading.Event(), threading.Event()

    def watch() -> None:
        while not over.wait(0.3):
            if time.monotonic() > site.end:
                late.set()
            if late.is_set() or not site.session.is_active():
                stop.set()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield stop, late
    finally:
        over.set()
        watcher.join()
