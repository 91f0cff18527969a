"""The baseline of a task's loop: which checks are red before its agent works."""

from pathlib import Path

from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.engine.baseline_results import (
    open_history,
    save_baseline_results,
    select_round_checks,
)
from untildone.engine.context import Context
from untildone.engine.sandbox_trial import start_detached_trial
from untildone.store.loops import Record


def record_baseline(context: Context, record: Record) -> Record:
    """Record which checks are red before the agent works."""
    checks = select_round_checks(record.contract)
    if not checks:
        return record
    history = open_history(context, record.contract)
    options = RunOptions(project=Path(record.contract.project), history=history)
    results = run_checks(checks, options)
    record = save_baseline_results(context, record.contract.id, results)
    start_detached_trial(context, record)
    return record
