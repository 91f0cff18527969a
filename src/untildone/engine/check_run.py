"""Runs checks for a stop: within its deadline, and only until the user ends the loop.

Only one process at a time runs checks of a project; the others wait.
"""

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from untildone.checks.parallel_run import (
    ProgressCallback,
    RunOptions,
    TreeCallback,
    ignore_progress,
    run_checks,
)
from untildone.checks.result_cache import ResultCache
from untildone.core.check_results import CheckPhase, CheckResult
from untildone.core.contract import Check
from untildone.core.sandbox_trial import WallTrial
from untildone.core.time_limits import DEFAULT_RULES, TimeRules
from untildone.engine.check_output import record_output
from untildone.engine.check_progress import join_callbacks, record_progress
from untildone.engine.check_turn import CheckTurn
from untildone.engine.early_end import AbandonedError
from untildone.engine.payload import STOP_DEADLINE
from untildone.process.command import filter_environment
from untildone.process.runner import end_runs_on_signal
from untildone.store.lock import LockTimeoutError, hold_lock
from untildone.store.sessions import Session

if TYPE_CHECKING:
    # Only a stop at which all is met opens one.
    from untildone.sandbox.sandbox_source import Sandbox


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
    # Where the state of untildone lies, and how the loop's sandboxes are walled.
    state_home: Path
    sandbox: WallTrial | None = None
    dependency_digest: str = ""
    # The folder with the loop's files, and the digest of its baseline, or why there is none.
    loop_folder: Path
    baseline_digest: str = ""
    baseline_missing: str = ""
    # Set when the user ends the loop.
    abandoned: threading.Event
    turn: CheckTurn = field(default_factory=CheckTurn)
    time_rules: TimeRules = DEFAULT_RULES
    # The SHA-256 of the record of the last confirmation's runs.
    confirming_runs: str = ""
    on_tree: TreeCallback | None = None


def open_result_cache(shared_folder: Path, *, serve_green: bool = True) -> ResultCache:
    """Return the remembered runs of the project's checks; see `context.project_folder`."""
    environ = filter_environment(os.environ)
    return ResultCache(shared_folder / "checks", environ, serve_green=serve_green)


def run_within_deadline(
    checks: Sequence[Check],
    site: CheckSite,
    *,
    fresh: bool = False,
    sandbox: "Sandbox | None" = None,
    phase: CheckPhase = "check",
    report: ProgressCallback = ignore_progress,
) -> tuple[tuple[CheckResult, ...], str]:
    """Run the checks; return their results, and an error text if the deadline has ended them.

    `fresh` runs checks again that were green on the same tree. With `sandbox` they run there
    instead of in the project. `phase` is what the user sees meanwhile. Raises AbandonedError if
    the user ends the loop meanwhile.
    """
    if not checks:
        return (), ""
    if site.abandoned.is_set():
        raise AbandonedError
    cache = open_result_cache(site.shared_folder, serve_green=not fresh)
    site.shared_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (
        end_runs_on_signal(),
        watch_for_end(site.session, site.deadline, site.abandoned) as (stop, late),
        site.turn.take(partial(_wait_for_turn, site)),
        record_progress(site.session, phase, cache) as record,
        record_output(site.session) as on_output,
    ):
        options = replace(_make_options(site, cache, stop), on_output=on_output)
        options = _move_to_sandbox(options, sandbox) if sandbox else options
        results = run_checks(checks, options, report=join_callbacks(record, report))
    if site.abandoned.is_set():
        raise AbandonedError
    fault = f"the checks did not end within {STOP_DEADLINE / 60:.0f} minutes"
    return results, fault if late.is_set() else ""


def _make_options(site: CheckSite, cache: ResultCache, stop: threading.Event) -> RunOptions:
    return RunOptions(
        project=site.project,
        logs=site.logs,
        cache=cache,
        time_rules=site.time_rules,
        stop=stop,
        on_tree=site.on_tree,
        by_package=True,
    )


@contextmanager
def _wait_for_turn(site: CheckSite) -> Iterator[None]:
    """Hold the lock of the project's checks, unless the user ends the loop before its turn."""
    path, timeout = site.shared_folder / "checks.lock", max(1.0, site.deadline - time.monotonic())
    with ExitStack() as lock:
        try:
            lock.enter_context(hold_lock(path, timeout=timeout, gives_up=site.abandoned.is_set))
        except LockTimeoutError:
            if site.abandoned.is_set():
                raise AbandonedError from None
            raise
        yield


def _move_to_sandbox(options: RunOptions, sandbox: "Sandbox") -> RunOptions:
    """Return the options for a run in the sandbox, without cached results and with logs apart.

    The runs in the project still tell how long the checks take.
    """
    return replace(
        options,
        project=sandbox.project,
        environ=sandbox.environ,
        wrapper_argv=sandbox.wrapper_argv,
        written_project=sandbox.written_project,
        exchange_folder=sandbox.exchange_folder,
        logs=options.logs / "replay" if options.logs else None,
        cache=None,
        history=options.cache,
    )


@contextmanager
def watch_for_end(
    session: Session, deadline: float, abandoned: threading.Event | None = None
) -> Iterator[tuple[threading.Event, threading.Event]]:
    """Watch deadline, session and `abandoned` in a thread, and yield two events that it sets.

    `stop` ends the checks, `late` says that the deadline was the reason.
    """
    abandoned = abandoned or threading.Event()
    stop, late, finished = threading.Event(), threading.Event(), threading.Event()

    def watch() -> None:
        while not finished.wait(0.2):
            if time.monotonic() > deadline:
                late.set()
            if late.is_set() or abandoned.is_set() or not session.is_active():
                stop.set()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield stop, late
    finally:
        finished.set()
        watcher.join()
