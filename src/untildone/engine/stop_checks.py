"""Runs the checks of one stop and decides by their results whether the agent may stop.

First the checks of every round run. Only if everything is met by then, a second pass confirms it:
the slow checks run, and the tree is compared with the baseline, the tree before the agent acted.
"""

import time
from threading import Event
from typing import TYPE_CHECKING

from msgspec.structs import asdict, replace

from untildone.core.baseline_comparison import judge_results
from untildone.core.check_results import BaselineResult
from untildone.core.decide import decide
from untildone.core.evidence import Evidence
from untildone.core.left_out import drop_left_out, leave_out_unrunnable
from untildone.core.proof import add_missing_proof
from untildone.core.questions import list_approvable
from untildone.core.verdict import Continue
from untildone.engine.artifacts import make_log_folder
from untildone.engine.check_run import CheckSite
from untildone.engine.context import Context, project_folder
from untildone.engine.early_end import AbandonedError, watch_for_early_end
from untildone.engine.head_start import HeadStart, await_trial, needs_tests, open_head_start
from untildone.engine.payload import Call
from untildone.engine.round_checks import run_round_checks
from untildone.engine.stopped_loop import JudgedStop, StoppedLoop
from untildone.process.runner import end_runs_on_signal
from untildone.store.baseline_records import read_results

if TYPE_CHECKING:
    # Only a stop at which all is met makes one.
    from untildone.engine.stop_confirmation import StopConfirmation


def judge_by_checks(
    context: Context, call: Call, loop: StoppedLoop, evidence: Evidence
) -> JudgedStop:
    """Return the stop with its verdict; the checks end early if the user ends the loop."""
    with end_runs_on_signal(), watch_for_early_end(context, call, loop) as abandoned:
        try:
            site = _make_site(context, call, loop, abandoned)
            return _judge_at_site(context, loop, evidence, site)
        except AbandonedError:
            evidence = replace(evidence, turn="queued")
            verdict = decide(loop.contract, loop.progress, evidence)
            return JudgedStop(**asdict(loop), evidence=evidence, verdict=verdict)


def _judge_at_site(
    context: Context, loop: StoppedLoop, evidence: Evidence, site: CheckSite
) -> JudgedStop:
    """Return the stop with its verdict; the confirmation runs only if all criteria are met."""
    with open_head_start(context, loop, site) as head_start:
        evidence, loop = _run_round_and_await_baseline(context, evidence, loop, site, head_start)
        return _judge_results(context, loop, evidence, site, head_start)


def _judge_results(
    context: Context,
    loop: StoppedLoop,
    evidence: Evidence,
    site: CheckSite,
    head_start: HeadStart,
) -> JudgedStop:
    contract, progress = loop.contract, loop.progress
    evidence = leave_out_unrunnable(contract, progress, evidence)
    contract = drop_left_out(contract, evidence)
    loop = replace(loop, contract=contract)
    if progress.baseline:
        results = read_results(site.loop_folder, progress.baseline, tuple[BaselineResult, ...])
        # A check that was neither green nor red in the baseline (its program was missing, say)
        # cannot be compared with it.
        comparable = tuple(result for result in results if result.outcome in ("green", "red"))
        evidence = replace(evidence, baseline=comparable)
    evidence = _find_edited_tests(judge_results(contract, evidence), site)
    verdict = decide(contract, progress, evidence)
    # "unconfirmed": everything is met, except that the confirmation has not run yet.
    if isinstance(verdict, Continue) and verdict.cause == "unconfirmed":
        return _confirm(context, loop, evidence, site, head_start)
    return JudgedStop(**asdict(loop), evidence=evidence, verdict=verdict)


def _confirm(
    context: Context,
    loop: StoppedLoop,
    evidence: Evidence,
    site: CheckSite,
    head_start: HeadStart,
) -> JudgedStop:
    """Return the stop with its verdict after the confirmation."""
    # Imported where it is used: only a stop at which all is met gets here.
    from untildone.engine.judged_tree import begin_git_tree

    contract, progress = loop.contract, loop.progress
    site = await_trial(context, loop, site, site.abandoned)
    with begin_git_tree(site.project, evidence.tree) as get_git_tree:
        confirmation = _open_confirmation(loop, evidence, site, head_start)
        confirmed = confirmation.confirm(evidence, contract)
        evidence = add_missing_proof(contract, progress, judge_results(contract, confirmed))
        verdict = decide(contract, progress, evidence)
        if list_approvable(contract, progress, evidence, verdict):
            evidence = confirmation.confirm_as_approved(evidence, loop)
        progress = replace(progress, confirming_runs=confirmation.save_runs(evidence))
        evidence = replace(evidence, git_tree=get_git_tree())
    loop = replace(loop, progress=progress)
    return JudgedStop(**asdict(loop), evidence=evidence, verdict=verdict)


def _open_confirmation(
    loop: StoppedLoop, evidence: Evidence, site: CheckSite, head_start: HeadStart
) -> "StopConfirmation":
    """Return the confirmation of this stop, as far as possible with what was prepared for it."""
    asks_for_tests = needs_tests(loop, evidence)
    if prepared := head_start.take(site, asks_for_tests=asks_for_tests):
        return prepared
    # Imported where it is used: only a stop at which all is met gets here.
    from untildone.engine.stop_confirmation import StopConfirmation

    return StopConfirmation(site, asks_for_tests=asks_for_tests)


def _find_edited_tests(evidence: Evidence, site: CheckSite) -> Evidence:
    """Return the evidence with the edited tests, if there is a failure that they may have hidden.

    Until everything is met, nothing else compares the tree with the baseline.
    """
    had_failures = any(not result.green for result in evidence.baseline or ())
    if not (had_failures and site.baseline_digest):
        return evidence
    # Imported where it is used: most stops have nothing to compare.
    from untildone.integrity.baseline import find_edited_tests

    edited = find_edited_tests(site.loop_folder / "baseline", site.project)
    return replace(evidence, edited_tests=edited)


def _run_round_and_await_baseline(
    context: Context,
    evidence: Evidence,
    loop: StoppedLoop,
    site: CheckSite,
    head_start: HeadStart,
) -> tuple[Evidence, StoppedLoop]:
    """Run the round's checks, and wait for those on the baseline, if these still run.

    A detached process runs them since the loop's start, and the session has the file `baseline`
    meanwhile. The stop waits before its own checks, so that both do not run at once, and behind
    them only if these took longer than expected: it never waits much longer than for its own.
    """
    if loop.progress.baseline or not context.session_of(loop.record).has("baseline"):
        meanwhile = head_start.prepare if head_start.is_worthwhile else None
        return run_round_checks(evidence, loop.contract, site, meanwhile=meanwhile), loop
    from untildone.engine.baseline_results import bound_wait, estimate_round

    expected = bound_wait(estimate_round(context, loop.contract))
    _wait_for_baseline(context, loop, site, seconds=expected)
    began = time.monotonic()
    evidence = run_round_checks(evidence, loop.contract, site)
    seconds = bound_wait(time.monotonic() - began) - expected
    return evidence, _wait_for_baseline(context, loop, site, seconds=seconds)


def _wait_for_baseline(
    context: Context, loop: StoppedLoop, site: CheckSite, *, seconds: float
) -> StoppedLoop:
    """Return the loop with the results of the baseline, if they are there by then."""
    from untildone.engine.baseline_results import wait_for_baseline

    deadline = min(site.deadline, time.monotonic() + seconds)
    record = wait_for_baseline(context, loop.record, site.abandoned, deadline=deadline)
    saved = record.progress
    red = tuple(dict.fromkeys((*loop.progress.checks_seen_red, *saved.checks_seen_red)))
    progress = replace(
        loop.progress,
        checks_seen_red=red,
        baseline=saved.baseline,
        baseline_totals=saved.baseline_totals,
    )
    return replace(loop, progress=progress)


def _make_site(context: Context, call: Call, loop: StoppedLoop, abandoned: Event) -> CheckSite:
    """Return where and until when this stop's checks run; a loop with checks gets a log folder."""
    id_, progress = loop.contract.id, loop.record.progress
    return CheckSite(
        project=loop.project,
        logs=make_log_folder(loop.project, id_, progress.round + 1)
        if loop.contract.checks
        else None,
        session=context.session_of(loop.record),
        deadline=call.deadline,
        shared_folder=project_folder(context.home, loop.project),
        loop_folder=context.loops.get_folder(id_),
        state_home=context.home,
        sandbox=loop.progress.sandbox,
        confirming_runs=loop.progress.confirming_runs,
        dependency_digest=loop.progress.dependency_digest,
        baseline_digest=progress.baseline_tree_digest,
        baseline_missing=progress.baseline_missing,
        abandoned=abandoned,
    )
