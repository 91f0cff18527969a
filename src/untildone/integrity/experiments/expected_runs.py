"""The runs that a confirmation asks for if nothing is wrong, begun before their turn.

They need no result of the checks in the project, so they go on beside these. What they show is
looked at only if the checks pass.
"""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from untildone.core.contract import Check
from untildone.core.evidence import Evidence
from untildone.core.sandbox_trial import ALL_WALLS
from untildone.core.time_limits import is_slow
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.fail_to_pass import (
    compose_first_tree,
    find_dropped_versions,
    select_checks,
)
from untildone.integrity.experiments.run_memory import (
    describe_surroundings,
    make_key,
    stamp_dependencies,
)
from untildone.integrity.experiments.runs_ahead import RunsAhead
from untildone.integrity.experiments.sandbox_runs import run_now
from untildone.integrity.experiments.trial import (
    PROVABLE,
    LoadPastRuns,
    Trial,
    find_hidden_files_once,
    make_sandbox_source,
)
from untildone.integrity.registry import find_concerns
from untildone.sandbox.lent_folders import lends_current_files
from untildone.sandbox.sandbox_source import SandboxFiles
from untildone.worktree.limits import LimitExceeded

# The part of the budget that may be used by then: the comparison of the trees needs the rest.
_FIRST_TREE_SHARE = 0.5


def can_begin_early(checks: Sequence[Check], load_past_runs: LoadPastRuns) -> bool:
    """Say whether all checks run in sandboxes as a whole, and were quick the last time."""
    runs_whole = all(
        check.when == "round" and check.replay and check.confirm == "full" for check in checks
    )
    last = [load_past_runs(check)[-1:] for check in checks]
    return runs_whole and all(runs and not is_slow(runs) for runs in last)


def begin_expected_runs(trial: Trial, ahead: RunsAhead, evidence: Evidence) -> None:
    """Begin the run of the baseline's tests, and of the changed tests on the baseline's code.

    Only behind all walls: there the runs cannot get in the way of those in the project. With a
    concern that the first run cannot settle, the changed tests have to wait for the user, so their
    run is dropped if it has not begun by then.
    """
    comparison, inputs = trial.comparison, trial.inputs
    walls = inputs.sandbox.walls if inputs.sandbox and inputs.sandbox.works else ()
    if comparison is None or set(walls) != set(ALL_WALLS):
        return
    source = make_sandbox_source(inputs, comparison)
    if lends_current_files(source):
        return
    surroundings = describe_surroundings(source, comparison)
    # What is installed may change until the checks in the project have ended.
    comparison.forget_facts(stamp_dependencies, find_hidden_files_once)

    def begin(files: SandboxFiles, checks: Sequence[Check]) -> str:
        key = make_key(comparison, files.files, checks, "whole", *surroundings)
        if not trial.memory.knows(key):
            ahead.start(key, trial.run, partial(run_now, files, source, checks))
        return key

    begin(inputs.files, [check for check in inputs.contract.checks if check.replay])
    needs_test = trial.asks_for_tests and not find_dropped_versions(trial)
    files = _read_first_tree(comparison) if needs_test else None
    changed_tests = begin(files, select_checks(evidence.baseline or (), inputs)) if files else ""
    ahead.wait_for_sandboxes()
    found = replace(evidence, concerns=comparison.fact(find_concerns))
    if any(concern.kind not in PROVABLE for concern in trial.find_unapproved(found)):
        ahead.drop(changed_tests)


def _read_first_tree(comparison: Comparison) -> SandboxFiles | None:
    try:
        return comparison.read_within_budget(compose_first_tree, share=_FIRST_TREE_SHARE)
    except LimitExceeded:
        return None
