"""Runs the checks on the baseline, the tree before the agent acts, and saves their results.

A check that was green then proves no progress later, and failures from then are not the agent's.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

from msgspec.structs import replace

from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.check_results import CheckResult
from untildone.core.counts import apply_counts
from untildone.core.progress import Progress
from untildone.core.totals import count_totals
from untildone.engine.context import Context
from untildone.engine.verbs import change_loop
from untildone.process import runner, trees
from untildone.sandbox.background_copy import copy_tree
from untildone.store import baseline_records
from untildone.store.loops import Record
from untildone.worktree.fingerprint import fingerprint_tree

# Seconds that the first stop waits for the results.
_PATIENCE = 120.0
# Characters of a finding's text.
_MAX_FINDING = 200


def save_baseline_results(
    context: Context, loop: str, results: tuple[CheckResult, ...], *, copied: bool = False
) -> Record:
    """Save the results in the loop's folder; return the loop with them in its progress.

    `copied` says that the checks ran on a copy of the tree, where a check may fail only because
    ignored files are missing: see `_distrust_bare_failure`.
    """
    if copied:
        results = tuple(_distrust_bare_failure(result) for result in results)
    results = apply_counts(context.loops.load(loop).contract, results, results)
    red = tuple(result.name for result in results if result.outcome == "red")
    folder = context.loops.get_folder(loop)

    def edit(record: Record) -> Progress:
        return replace(
            record.progress,
            checks_seen_red=tuple(dict.fromkeys((*record.progress.checks_seen_red, *red))),
            baseline=baseline_records.write_results(
                folder, tuple(_trim_result(result) for result in results)
            ),
            # Of a check that could not be run nothing was counted: 0 errors would be untrue.
            baseline_totals=count_totals(results) if all(map(_is_measured, results)) else None,
        )

    return change_loop(context, loop, edit, kind="baseline", red=red)


def _is_measured(result: CheckResult) -> bool:
    return result.outcome in ("green", "red")


def _distrust_bare_failure(result: CheckResult) -> CheckResult:
    """Return a red result that names no finding and no failing test as one without evidence."""
    has_report = result.findings or (result.tests and result.tests.failed)
    if result.outcome != "red" or has_report:
        return result
    return replace(result, outcome="no-evidence", reason="red without a report, on a copy")


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

    `tree` is the digest of the tree at the loop's start. If the agent has changed it meanwhile,
    the copy is no baseline and nothing is saved.
    """
    record = context.loops.load(loop)
    contract = record.contract
    project = Path(contract.project)
    checks = [check for check in contract.checks if check.when == "round"]
    with tempfile.TemporaryDirectory(prefix="untildone-start-", ignore_cleanup_errors=True) as top:
        copy = Path(top) / "tree"
        copy_tree(project, copy)
        if fingerprint_tree(project) == tree:
            save_baseline_results(
                context, loop, run_checks(checks, RunOptions(project=copy)), copied=True
            )
    context.session_of(record).remove("baseline")


def wait_for_baseline(context: Context, record: Record) -> Record:
    """Return the loop once the detached process has ended, or after two minutes."""
    session = context.session_of(record)
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        process_id = session.read("baseline").strip()
        if not process_id.isdecimal() or not runner.is_alive(int(process_id)):
            break
        time.sleep(0.1)
    return context.loops.load(record.contract.id)
