"""Runs the checks on the baseline, the tree before the agent acts, and saves their results.

A check that was green then proves no progress later, and failures from then are not the agent's.
"""

import math
import os
import sys
import tempfile
import time
from pathlib import Path
from threading import Event

from msgspec.structs import replace

from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.checks.result_cache import ResultCache
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check, Contract
from untildone.core.counts import apply_counts
from untildone.core.progress import Progress
from untildone.core.time_limits import estimate_seconds
from untildone.core.totals import count_totals
from untildone.engine.baseline_snapshot import find_snapshot
from untildone.engine.check_progress import record_progress
from untildone.engine.check_run import open_result_cache, watch_for_end
from untildone.engine.context import Context, project_folder
from untildone.engine.journal_entry import make_baseline_entry
from untildone.engine.verbs import change_loop
from untildone.process import runner, trees
from untildone.process.runner import end_runs_on_signal
from untildone.sandbox.background_copy import copy_tree
from untildone.store import baseline_records
from untildone.store.loops import Record
from untildone.worktree.fingerprint import fingerprint_tree

# Seconds that a stop waits for the baseline even if its own checks take next to no time.
_SHORTEST_WAIT = 30.0
# The key under which the result cache remembers a run on the baseline; it replaces no run.
_CACHE_KEY = "baseline"
# Characters of a finding's text.
_MAX_FINDING = 200
# A program that needs something which a copy lacks fails like this too.
_BARE_FAILURE = "it failed in a copy of the project and named no test and no finding"


def select_round_checks(contract: Contract) -> list[Check]:
    """Return the checks that run on the baseline: slow ones do not."""
    return [check for check in contract.checks if check.when == "round"]


def save_baseline_results(
    context: Context, loop: str, results: tuple[CheckResult, ...], *, copied: bool = False
) -> Record:
    """Save the results in the loop's folder; return the loop with them in its progress.

    `copied` says that the checks ran on a copy of the tree, where a check may fail only because
    ignored files are missing: see `_distrust_bare_failure`.
    """
    contract = context.loops.load(loop).contract
    _remember_durations(context, contract, results)
    if copied:
        results = tuple(_distrust_bare_failure(result) for result in results)
    results = apply_counts(contract, results, results)
    red = tuple(result.name for result in results if result.outcome == "red")
    # Of a check that could not be run nothing was counted: 0 errors would be untrue.
    totals = count_totals(results) if all(map(_is_measured, results)) else None
    folder = context.loops.get_folder(loop)

    def edit(record: Record) -> Progress:
        return replace(
            record.progress,
            checks_seen_red=tuple(dict.fromkeys((*record.progress.checks_seen_red, *red))),
            baseline=baseline_records.write_results(
                folder, tuple(_trim_result(result) for result in results)
            ),
            baseline_totals=totals,
        )

    entry = make_baseline_entry(results, totals)
    return change_loop(context, loop, edit, kind="baseline", red=red, **entry)


def open_history(context: Context, contract: Contract) -> ResultCache:
    """Return the remembered runs of the loop's checks, which tell how long they take."""
    return open_result_cache(project_folder(context.home, Path(contract.project)))


def _remember_durations(
    context: Context, contract: Contract, results: tuple[CheckResult, ...]
) -> None:
    history, by_name = open_history(context, contract), {result.name: result for result in results}
    for check in contract.checks:
        if check.name in by_name:
            history.store(check, _CACHE_KEY, by_name[check.name])


def _is_measured(result: CheckResult) -> bool:
    return result.outcome in ("green", "red")


def _distrust_bare_failure(result: CheckResult) -> CheckResult:
    """Return a red result that names no finding and no failing test as one without evidence."""
    has_report = result.findings or (result.tests and result.tests.failed)
    if result.outcome != "red" or has_report:
        return result
    return replace(result, outcome="no-evidence", reason=_BARE_FAILURE)


def _trim_result(result: CheckResult) -> CheckResult:
    """Return the result without its output and with short findings."""
    findings = tuple(
        replace(finding, text=finding.text[:_MAX_FINDING]) for finding in result.findings
    )
    return replace(result, output="", output_path="", findings=findings)


def start_detached_baseline(context: Context, record: Record) -> None:
    """Start a process that runs the checks on a copy of the tree, and do not wait for it.

    Its id is in the session's file `baseline` while it runs.
    """
    loop = record.contract.id
    tree = fingerprint_tree(Path(record.contract.project))
    argv = [sys.executable, "-I", "-m", "untildone", "baseline", loop, tree]
    environ = {**os.environ, "UNTILDONE_HOME": str(context.home)}
    process_id = trees.start_detached(argv, cwd=context.home, env=environ)
    context.session_of(record).write("baseline", str(process_id))


def run_detached_baseline(context: Context, loop: str, tree: str) -> None:
    """Run the checks on a copy of the tree and save the results; what the detached process does.

    The copy is made from the loop's snapshot, so an agent that edits at once changes nothing here.
    Where there is none, `tree` is the digest of the tree at the loop's start: if the agent has
    changed it meanwhile, the copy is no baseline and nothing is saved.
    """
    record = context.loops.load(loop)
    project = Path(record.contract.project)
    # Imported where it is used: nothing else in this module needs a sandbox.
    from untildone.engine.sandbox_trial import start_detached_trial

    start_detached_trial(context, record)
    with tempfile.TemporaryDirectory(prefix="untildone-start-", ignore_cleanup_errors=True) as top:
        copy = Path(top) / "tree"
        snapshot = find_snapshot(context, record)
        copy_tree(project, copy, snapshot=snapshot)
        if snapshot or fingerprint_tree(project) == tree:
            _run_on_copy(context, record, copy)
    context.session_of(record).remove("baseline")


def _run_on_copy(context: Context, record: Record, copy: Path) -> None:
    """Run the checks and save the results, unless the user ends the loop meanwhile."""
    contract, session = record.contract, context.session_of(record)
    history = open_history(context, contract)
    with (
        end_runs_on_signal(),
        watch_for_end(session, math.inf) as (stop, _),
        record_progress(session, "baseline", history) as report,
    ):
        options = RunOptions(project=copy, history=history, stop=stop)
        results = run_checks(select_round_checks(contract), options, report=report)
    if not stop.is_set():
        save_baseline_results(context, record.contract.id, results, copied=True)


def wait_for_baseline(
    context: Context, record: Record, abandoned: Event, *, deadline: float
) -> Record:
    """Return the loop once the detached process has ended.

    The wait ends at the deadline (of the monotonic clock), or when the user ends the loop, which
    `abandoned` says.
    """
    session = context.session_of(record)
    while time.monotonic() < deadline and session.is_active() and not abandoned.is_set():
        process_id = session.read("baseline").strip()
        if not process_id.isdecimal() or not runner.is_alive(int(process_id)):
            break
        abandoned.wait(0.1)
    return context.loops.load(record.contract.id)


def bound_wait(own_seconds: float) -> float:
    """Return how many seconds a stop whose own checks take so long waits for the baseline.

    Twice as long, since both may run at once.
    """
    return max(_SHORTEST_WAIT, 2 * own_seconds)


def estimate_round(context: Context, contract: Contract) -> float:
    """Return how many seconds the round's checks probably take, one after another."""
    history = open_history(context, contract)
    past = (history.load_past_runs(check) for check in select_round_checks(contract))
    return sum(estimate_seconds(runs) or 0 for runs in past)
