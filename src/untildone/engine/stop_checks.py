"""Runs the checks of one stop and decides by their results whether the agent may stop.

First the checks of every round run. Only if everything is met by then, a second pass confirms it:
the slow checks run, and the tree is compared with the baseline, the tree before the agent acted.
"""

from collections.abc import Sequence

from msgspec.structs import asdict, replace

from untildone.core.baseline_comparison import judge_results
from untildone.core.check_results import BaselineResult
from untildone.core.contract import Check, Contract
from untildone.core.decide import decide
from untildone.core.evidence import Evidence
from untildone.core.verdict import Continue
from untildone.engine.artifacts import make_log_folder
from untildone.engine.check_run import CheckSite, run_within_deadline
from untildone.engine.context import Context, project_folder
from untildone.engine.payload import Call
from untildone.engine.round_checks import run_round_checks
from untildone.engine.stopped_loop import JudgedStop, StoppedLoop
from untildone.store.baseline_records import read_results


def judge_by_checks(
    context: Context, call: Call, loop: StoppedLoop, evidence: Evidence
) -> JudgedStop:
    """Return the stop with its verdict; the confirmation runs only if all criteria are met."""
    loop = _await_baseline(context, loop)
    contract, progress, site = loop.contract, loop.progress, _make_site(context, call, loop)
    if progress.baseline:
        results = read_results(site.loop_folder, progress.baseline, tuple[BaselineResult, ...])
        # A check that was neither green nor red in the baseline (its program was missing, say)
        # cannot be compared with it.
        comparable = tuple(result for result in results if result.outcome in ("green", "red"))
        evidence = replace(evidence, baseline=comparable)
    evidence = judge_results(contract, run_round_checks(evidence, contract, site))
    verdict = decide(contract, progress, evidence)
    # "unconfirmed": everything is met, except that the confirmation has not run yet.
    if isinstance(verdict, Continue) and verdict.cause == "unconfirmed":
        evidence = judge_results(contract, _confirm(evidence, contract, site))
        verdict = decide(contract, progress, evidence)
    return JudgedStop(**asdict(loop), evidence=evidence, verdict=verdict)


def _await_baseline(context: Context, loop: StoppedLoop) -> StoppedLoop:
    """Wait until the checks have run on the baseline, if that is under way, and add the results.

    Only the first judged stop waits: a detached process runs these checks since the loop's start,
    and the session has the file `baseline` meanwhile.
    """
    if loop.progress.baseline or not context.session_of(loop.record).has("baseline"):
        return loop
    from untildone.engine.baseline_results import wait_for_baseline

    saved = wait_for_baseline(context, loop.record).progress
    red = tuple(dict.fromkeys((*loop.progress.checks_seen_red, *saved.checks_seen_red)))
    progress = replace(
        loop.progress,
        checks_seen_red=red,
        baseline=saved.baseline,
        baseline_totals=saved.baseline_totals,
    )
    return replace(loop, progress=progress)


def _make_site(context: Context, call: Call, loop: StoppedLoop) -> CheckSite:
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
        baseline_digest=progress.baseline_tree_digest,
        baseline_missing=progress.baseline_missing,
    )


def _confirm(evidence: Evidence, contract: Contract, site: CheckSite) -> Evidence:
    """Return the evidence with the slow checks and the comparison with the baseline.

    Cached results are dropped here, so that `done` always rests on a run made at this stop.
    An error on our side becomes the `fault` of the evidence, which keeps the loop from finishing.
    """
    fresh = tuple(result for result in evidence.checks if not result.cached)
    try:
        return _compare_trees(replace(evidence, checks=fresh), contract, site)
    except Exception as error:  # noqa: BLE001  a file of the agent that crashes us must not free it
        fault = f"the comparison with the baseline failed ({type(error).__name__}: {error})"
        return replace(evidence, fault=evidence.fault or fault)


def _compare_trees(evidence: Evidence, contract: Contract, site: CheckSite) -> Evidence:
    """Return the evidence with the concerns about the tree, and with a result of every check.

    `confirm` compares the tree with the baseline and runs the baseline's tests in a sandbox. If no
    test or setting has changed, that is a run of this very tree: it counts as the check's result,
    and the check need not run in the project as well. A check that `confirm` has not run after
    all, as no sandbox could be made, runs at the end.
    """
    # Imported where it is used: only a stop at which all is met gets here.
    from untildone.integrity.confirmation import confirm
    from untildone.integrity.confirmation_inputs import load_inputs

    inputs = load_inputs(
        contract,
        site.project,
        folder=site.loop_folder / "baseline",
        digest=site.baseline_digest,
        missing_reason=site.baseline_missing,
    )
    uncovered = [check for check in contract.checks if not inputs.covers(check)]
    evidence = judge_results(contract, _run_missing_checks(evidence, uncovered, site))
    if evidence.fault or any(not result.green for result in evidence.checks):
        return evidence
    evidence = confirm(
        evidence, inputs, lambda checks, sandbox: run_within_deadline(checks, site, sandbox=sandbox)
    )
    return _run_missing_checks(evidence, contract.checks, site)


def _run_missing_checks(evidence: Evidence, checks: Sequence[Check], site: CheckSite) -> Evidence:
    """Return the evidence after running those of `checks` that have no result in it yet."""
    results = {result.name: result for result in evidence.checks}
    missing = [check for check in checks if check.name not in results]
    new_results, fault = run_within_deadline(missing, site, fresh=True)
    results |= {result.name: result for result in new_results}
    return replace(evidence, checks=tuple(results.values()), fault=evidence.fault or fault)
