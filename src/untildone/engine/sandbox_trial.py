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


def start_detached_trial(context: Context, record: Record) -> None:
    """Start a process that runs `try_sandboxes`, and do not wait for it.

    Where every check is red anyway, nothing can be tried out.
    """
    folder, progress = context.loops.get_folder(record.contract.id), record.progress
    if not progress.baseline or not progress.baseline_tree_digest:
        return
    if not can_go_worse(read_results(folder, progress.baseline, tuple[BaselineResult, ...])):
        return
    argv = [sys.executable, "-I", "-m", "untildone", "sandbox-trial", record.contract.id]
    environ = {**os.environ, "UNTILDONE_HOME": str(context.home)}
    process_id = trees.start_detached(argv, cwd=context.home, env=environ)
    context.session_of(record).write(_FILE, str(process_id))


def try_sandboxes(context: Context, loop: str) -> WallTrial | None:
    """Run the checks on the baseline in sandboxes, and save which walls these may have.

    None if there is nothing to compare with, or the user has ended the loop meanwhile.
    """
    record = context.loops.load(loop)
    session, progress = context.session_of(record), record.progress
    folder = context.loops.get_folder(loop)
    if not progress.baseline or not progress.baseline_tree_digest:
        return None
    baseline, _ = load_baseline(folder / "baseline", progress.baseline_tree_digest)
    project = Path(record.contract.project)
    digests = read_digests(project, baseline.dependencies, seconds=_READING_SECONDS)
    digest = save_digests(digests, folder / "baseline")
    outside = read_results(folder, progress.baseline, tuple[BaselineResult, ...])
    deadline = time.monotonic() + _PATIENCE
    with end_runs_on_signal(), watch_for_end(session, deadline) as (stop, late):
        options = RunOptions(project=Path(record.contract.project), stop=stop)
        trial = find_walls(lambda walls: _run_in_sandbox(context, record, options, walls), outside)
    session.remove(_FILE)
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


def wait_for_trial(
    context: Context, record: Record, abandoned: Event, *, deadline: float
) -> Progress:
    """Return the progress once the detached process has ended, or at the deadline."""
    session = context.session_of(record)
    while time.monotonic() < deadline and session.is_active() and not abandoned.is_set():
        process_id = session.read(_FILE).strip()
        if not process_id.isdecimal() or not runner.is_alive(int(process_id)):
            break
        abandoned.wait(0.1)
    return context.loops.load(record.contract.id).progress
