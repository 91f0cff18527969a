"""Runs checks for a stop: within its deadline, and only until the user ends the loop.

Only one process at a time runs checks of a project; the others wait.
"""

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.parallel_run import ProgressCallback, RunOptions, ignore_progress, run_checks
from untildone.checks.result_cache import ResultCache
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.engine.payload import STOP_DEADLINE
from untildone.process.command import filter_environment
from untildone.process.runner import end_runs_on_signal
from untildone.store.lock import hold_lock
from untildone.store.sessions import Session

if TYPE_CHECKING:
    # Only a stop at which all is met opens one.
    from untildone.sandbox.sandboxes import Sandbox


class CheckSite(Struct, frozen=True, kw_only=True):
    """Where the checks of a stop run, and until when: `deadline` is of the monotonic clock.

    `logs` gets the checks' output; None where there is no folder for it.
    """

    project: Path
    logs: Path | None
    session: Session
    deadline: float
    # The folder that all sessions of the project share, with the lock and the cached results.
    shared_folder: Path
    # The folder with the loop's files, and the digest of its baseline, or why there is none.
    loop_folder: Path
    baseline_digest: str = ""
    baseline_missing: str = ""


def run_within_deadline(
    checks: Sequence[Check],
    site: CheckSite,
    *,
    fresh: bool = False,
    sandbox: "Sandbox | None" = None,
    report: ProgressCallback = ignore_progress,
) -> tuple[tuple[CheckResult, ...], str]:
    """Run the checks; return their results, and an error text if the deadline has ended them.

    `fresh` runs checks again that were green on the same tree. With `sandbox` they run there
    instead of in the project.
    """
    if not checks:
        return (), ""
    cache = ResultCache(
        site.shared_folder / "checks", filter_environment(os.environ), serve_green=not fresh
    )
    site.shared_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock_timeout = max(1.0, site.deadline - time.monotonic())
    with (
        end_runs_on_signal(),
        _watch_for_end(site) as (stop, late),
        hold_lock(site.shared_folder / "checks.lock", timeout=lock_timeout),
    ):
        options = RunOptions(project=site.project, logs=site.logs, cache=cache, stop=stop)
        options = _move_to_sandbox(options, sandbox) if sandbox else options
        results = run_checks(checks, options, report=report)
    fault = f"the checks did not end within {STOP_DEADLINE / 60:.0f} minutes"
    return results, fault if late.is_set() else ""


def _move_to_sandbox(options: RunOptions, sandbox: "Sandbox") -> RunOptions:
    """Return the options for a run in the sandbox, without cached results and with logs apart."""
    return replace(
        options,
        project=sandbox.project,
        environ=sandbox.environ,
        wrapper_argv=sandbox.wrapper_argv,
        written_project=sandbox.written_project,
        logs=options.logs / "replay" if options.logs else None,
        cache=None,
    )


@contextmanager
def _watch_for_end(site: CheckSite) -> Iterator[tuple[threading.Event, threading.Event]]:
    """Watch deadline and session in a thread, and yield two events that it sets.

    `stop` ends the checks, `late` says that the deadline was the reason.
    """
    stop, late, finished = threading.Event(), threading.Event(), threading.Event()

    def watch() -> None:
        while not finished.wait(0.3):
            if time.monotonic() > site.deadline:
                late.set()
            if late.is_set() or not site.session.is_active():
                stop.set()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield stop, late
    finally:
        finished.set()
        watcher.join()
