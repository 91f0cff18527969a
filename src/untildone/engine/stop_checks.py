"""The checks of one stop: those of every round, then those that confirm that the work is done."""

import os
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread

from msgspec.structs import asdict, replace

from untildone.core.baseline_comparison import compare_with_baseline
from untildone.core.check_results import BaselineResult, CheckResult
from untildone.core.contract import Check, Contract
from untildone.core.decide import decide
from untildone.core.evidence import Evidence
from untildone.core.verdict import Continue
from untildone.engine.artifacts import make_log_folder
from untildone.engine.check_run import CheckSite, run_within_deadline
from untildone.engine.context import Context, fingerprint_project, project_folder
from untildone.engine.payload import Call
from untildone.engine.stopped_loop import JudgedStop, StoppedLoop
from untildone.process.command import filter_environment, parse_argv
from untildone.process.runner import run as start
from untildone.store.baseline_records import read_results


def judge_by_checks(
    context: Context, call: Call, loop: StoppedLoop, evidence: Evidence
) -> JudgedStop:
    """The verdict after the checks; what confirms is run only if all else is met."""
    loop = _await_baseline(context, loop)
    contract, progress, site = loop.contract, loop.progress, _make_site(context, call, loop)
    if progress.baseline:
        results = read_results(site.loop, progress.baseline, tuple[BaselineResult, ...])
        # A check that could not be judged in the baseline says nothing about it.
        known = tuple(result for result in results if result.outcome in ("green", "red"))
        evidence = replace(evidence, baseline=known)
    evidence = compare_with_baseline(contract, _run_round_checks(evidence, contract, site))
    verdict = decide(contract, progress, evidence)
    if isinstance(verdict, Continue) and verdict.cause == "unconfirmed":
        evidence = compare_with_baseline(contract, _confirm(evidence, contract, site))
        verdict = decide(contract, progress, evidence)
    return JudgedStop(**asdict(loop), evidence=evidence, verdict=verdict)


def _await_baseline(context: Context, loop: StoppedLoop) -> StoppedLoop:
    """The first judged stop waits for the baseline's results, if they are on their way."""
    if loop.progress.baseline or not context.session_of(loop.record).has("baseline"):
        return loop
    from untildone.engine.baseline_results import wait_for_baseline

    now = wait_for_baseline(context, loop.record).progress
    red = tuple(dict.fromkeys((*loop.progress.checks_seen_red, *now.checks_seen_red)))
    progress = replace(
        loop.progress,
        checks_seen_red=red,
        baseline=now.baseline,
        baseline_totals=now.baseline_totals,
    )
    return replace(loop, progress=progress)


def _make_site(context: Context, call: Call, loop: StoppedLoop) -> CheckSite:
    id_, progress = loop.contract.id, loop.record.progress
    return CheckSite(
        project=loop.project,
        logs=make_log_folder(loop.project, id_, progress.round + 1)
        if loop.contract.checks
        else None,
        session=context.session_of(loop.record),
        end=call.deadline,
        shared=project_folder(context.home, loop.project),
        loop=context.loops.get_folder(id_),
        baseline_digest=progress.baseline_tree_digest,
        baseline_missing=progress.baseline_missing,
    )


def _run_round_checks(evidence: Evidence, contract: Contract, site: CheckSite) -> Evidence:
    """The evidence with the round's checks and the must-not commands."""
    quick = [check for check in contract.checks if check.when == "round"]
    if not quick and not contract.must_not:
        return evidence
    forbidden = [Check(name=command, command=command) for command in contract.must_not]
    results, fault = run_within_deadline([*quick, *forbidden], site, report=_import_confirmation)
    results = _apply_fixes(results, quick, site) if not fault else results
    limits = results[len(quick) :]
    # A limit that cannot be tested is a check that cannot run, not one that holds.
    untested = tuple(result for result in limits if result.outcome == "unrunnable")
    return replace(
        evidence,
        checks=results[: len(quick)] + untested,
        forbidden=tuple(result.command for result in limits if result.exit_code == 0),
        fault=evidence.fault or fault,
        tree=fingerprint_project(site.project),
    )


def _import_confirmation(_: Check, result: CheckResult | None) -> None:
    """Imports what green checks need next while they run: importing takes longer."""

    def import_module() -> None:
        # The import that needs it raises the error again.
        with suppress(ImportError):
            import untildone.integrity.confirmation  # noqa: F401  for the next import of it

    if result is None:
        Thread(target=import_module, daemon=True).start()


def _apply_fixes(
    results: tuple[CheckResult, ...], checks: list[Check], site: CheckSite
) -> tuple[CheckResult, ...]:
    """Runs the safe fix of each red check that names one, and then that check again."""
    fixable = {
        check.name: check
        for check, result in zip(checks, results, strict=False)
        if check.fix and result.outcome == "red"
    }
    for check in fixable.values():
        start(
            parse_argv(check.fix),
            cwd=site.project / check.cwd,
            timeout=check.timeout,
            env=filter_environment(os.environ) | check.env,
        )
    repeated, _ = run_within_deadline(list(fixable.values()), site)
    fixed = {again.name: replace(again, fixed_by=fixable[again.name].fix) for again in repeated}
    return tuple(fixed.get(result.name, result) for result in results)


def _confirm(evidence: Evidence, contract: Contract, site: CheckSite) -> Evidence:
    """Runs the slow checks and compares the tree with the baseline.

    Cached results are not enough: `done` rests on a run made for it. Where all that judges is as
    in the baseline, the run in the sandbox is that run.
    """
    fresh = tuple(result for result in evidence.checks if not result.cached)
    try:
        return _compare_and_confirm(replace(evidence, checks=fresh), contract, site)
    except Exception as error:  # noqa: BLE001  what an agent wrote must not set it free by failing us
        fault = f"the comparison with the baseline failed ({type(error).__name__}: {error})"
        return replace(evidence, fault=evidence.fault or fault)


def _compare_and_confirm(evidence: Evidence, contract: Contract, site: CheckSite) -> Evidence:
    # Imported where it is used: only a stop at which all is met gets here.
    from untildone.integrity.confirmation import confirm
    from untildone.integrity.confirmation_inputs import load_inputs

    inputs = load_inputs(
        contract,
        site.project,
        folder=site.loop / "baseline",
        digest=site.baseline_digest,
        missing=site.baseline_missing,
    )
    here = [check for check in contract.checks if not inputs.covers(check)]
    evidence = compare_with_baseline(contract, _run_missing_checks(evidence, here, site))
    if evidence.fault or any(not result.green for result in evidence.checks):
        return evidence
    evidence = confirm(
        evidence, inputs, lambda checks, sandbox: run_within_deadline(checks, site, sandbox=sandbox)
    )
    return _run_missing_checks(evidence, contract.checks, site)


def _run_missing_checks(evidence: Evidence, checks: Sequence[Check], site: CheckSite) -> Evidence:
    """The evidence with a run of those checks that have no result yet."""
    made = {result.name: result for result in evidence.checks}
    missing = [check for check in checks if check.name not in made]
    results, fault = run_within_deadline(missing, site, fresh=True)
    made |= {result.name: result for result in results}
    return replace(evidence, checks=tuple(made.values()), fault=evidence.fault or fault)
