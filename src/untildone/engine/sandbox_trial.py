"""Tries out on the baseline, in a detached process, how the sandboxes of a loop can be walled."""

import os
import sys
import time
from pathlib import Path
from threading import Event

from msgspec import to_builtins
from msgspec.structs import replace

from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.check_results import BaselineResult
from untildone.core.progress import Progress
from untildone.core.sandbox_trial import (
    SandboxRunResult,
    Wall,
    WallTrial,
    can_go_worse,
    find_walls,
)
from untildone.engine.check_run import watch_for_end
from untildone.engine.context import Context
from untildone.engine.verbs import change_loop
from untildone.integrity.baseline import load_baseline
from untildone.integrity.environment.dependency_digests import read_digests, save_digests
from untildone.integrity.sandbox_sources import find_hidden_files, make_source
from untildone.process import runner, trees
from untildone.process.runner import end_runs_on_signal
from untildone.sandbox.sandbox_source import SandboxFiles
from untildone.sandbox.sandboxes import open_sandbox
from untildone.store.baseline_records import read_results
from untildone.store.loops import Record

# The session's file with the id of the process, while it runs.
_FILE = "trial"
# After so many seconds no further wall is left out on trial.
_PATIENCE = 1_200.0
_READING_SECONDS = 120.0
# Between two looks at what another process does.
_PAUSE = 0.05


def start_detached_trial(context: Context, record: Record) -> None:
    """Start a process that runs `try_sandboxes`, and do not wait for it.

    Call it before the checks run on the baseline: meanwhile it reads what is installed.
    """
    if not record.progress.baseline_tree_digest:
        return
    loop, starter = record.contract.id, str(os.getpid())
    argv = [sys.executable, "-I", "-m", "untildone", "sandbox-trial", loop, starter]
    environ = {**os.environ, "UNTILDONE_HOME": str(context.home)}
    process_id = trees.start_detached(argv, cwd=context.home, env=environ)
    context.session_of(record).write(_FILE, str(process_id))


def try_sandboxes(context: Context, loop: str, *, starter: int = 0) -> WallTrial | None:
    """Run the checks on the baseline in sandboxes, and save which walls these may have.

    The process `starter` runs them outside meanwhile. None if there is nothing to compare with,
    or the user has ended the loop meanwhile.
    """
    record = context.loops.load(loop)
    try:
        return _try_sandboxes(context, record, starter)
    finally:
        context.session_of(record).remove(_FILE)


def _try_sandboxes(context: Context, record: Record, starter: int) -> WallTrial | None:
    loop, session, progress = record.contract.id, context.session_of(record), record.progress
    folder = context.loops.get_folder(loop)
    if not progress.baseline_tree_digest:
        return None
    baseline, _ = load_baseline(folder / "baseline", progress.baseline_tree_digest)
    project = Path(record.contract.project)
    digests = read_digests(project, baseline.dependencies, seconds=_READING_SECONDS)
    digest = save_digests(digests, folder / "baseline")
    record = _wait_for_results(context, record, starter)
    outside = _read_results(context, record)
    if not can_go_worse(outside):
        return None
    deadline = time.monotonic() + _PATIENCE
    with end_runs_on_signal(), watch_for_end(session, deadline) as (stop, late):
        options = RunOptions(project=Path(record.contract.project), stop=stop)
        trial = find_walls(lambda walls: _run_in_sandbox(context, record, options, walls), outside)
    if stop.is_set() and not late.is_set():
        return None
    change_loop(
        context,
        loop,
        lambda record: replace(record.progress, sandbox=trial, dependency_digest=digest),
        kind="sandbox",
        **to_builtins(trial),
    )
    return trial


def _wait_for_results(context: Context, record: Record, starter: int) -> Record:
    """Return the loop once its checks have run on the baseline, or will not any more."""
    session = context.session_of(record)
    while not record.progress.baseline and session.is_active() and runner.is_alive(starter):
        time.sleep(_PAUSE)
        record = context.loops.load(record.contract.id)
    return record


def _read_results(context: Context, record: Record) -> tuple[BaselineResult, ...]:
    folder, digest = context.loops.get_folder(record.contract.id), record.progress.baseline
    return read_results(folder, digest, tuple[BaselineResult, ...]) if digest else ()


def _run_in_sandbox(
    context: Context, record: Record, options: RunOptions, walls: tuple[Wall, ...]
) -> SandboxRunResult:
    """Run the round's checks on the baseline in a sandbox with these walls."""
    contract = record.contract
    folder = context.loops.get_folder(contract.id) / "baseline"
    baseline, tree = load_baseline(folder, record.progress.baseline_tree_digest)
    source = make_source(
        baseline,
        options.project,
        folder=folder,
        state_home=context.home,
        hidden_files=find_hidden_files(baseline, options.project, folder=folder),
        walls=walls,
    )
    files = SandboxFiles({path: tree.root / path for path in tree}, ())
    checks = [check for check in contract.checks if check.when == "round" and check.replay]
    with open_sandbox(files, source) as sandbox:
        inside = replace(
            options,
            project=sandbox.project,
            environ=sandbox.environ,
            wrapper_argv=sandbox.wrapper_argv,
            written_project=sandbox.written_project,
            exchange_folder=sandbox.exchange_folder,
        )
        results = () if sandbox.unproved else run_checks(checks, inside)
    return SandboxRunResult(results=results, walls=sandbox.walls, unproved=sandbox.unproved)


def wait_for_trial(context: Context, record: Record, end: Event, *, deadline: float) -> Progress:
    """Return the progress once the detached process has ended, at the deadline or at the `end`."""
    session = context.session_of(record)
    while time.monotonic() < deadline and session.is_active() and not end.is_set():
        process_id = session.read(_FILE).strip()
        if not process_id.isdecimal() or not runner.is_alive(int(process_id)):
            break
        end.wait(_PAUSE)
    return context.loops.load(record.contract.id).progress
