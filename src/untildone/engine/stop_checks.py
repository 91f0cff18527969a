"""The checks of one stop: those of every round, then those that confirm that the work is done."""

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from untildone.core.check_results import BaselineResult, CheckResult
from untildone.core.contract import Check, Contract
from untildone.core.criteria import compare_with_baseline
from untildone.core.decide import decide
from untildone.core.evidence import Evidence
from untildone.core.progress import Progress
from untildone.core.verdict import Continue, Verdict
from untildone.engine.check_run import Site, compute_deadline, run
from untildone.engine.context import Context, fingerprint_project, project_folder
from untildone.engine.feature import StoppedLoop
from untildone.engine.payload import Call
from untildone.store import baseline_records
from untildone.store.loops import Record


def await_baseline(context: Context, loop: StoppedLoop) -> StoppedLoop:
    """The first judged stop waits for the baseline's results, if they are on their way."""
    if loop.progress.baseline or not context.session_of(loop.record).has("baseline"):
        return loop
    from untildone.engine.baseline import wait_for_baseline

    now = wait_for_baseline(context, loop.record).progress
    red = tuple(dict.fromkeys((*loop.progress.checks_seen_red, *now.checks_seen_red)))
    progress = replace(
        loop.progress,
        checks_seen_red=red,
        baseline=now.baseline,
        baseline_totals=now.baseline_totals,
    )
    return replace(loop, progress=progress)


def run_checks(
    context: Context, call: Call, loop: StoppedLoop, evidence: Evidence
) -> tuple[Evidence, Verdict]:
    """The evidence of the checks and the verdict; what confirms is run only if all else is met."""
    contract, progress = loop.contract, loop.progress
    site = _site(context, call, loop)
    evidence = replace(evidence, baseline=_load_baseline(context, loop.record, progress))
    evidence = compare_with_baseline(contract, run_round_checks(evidence, contract, site))
    verdict = decide(contract, progress, evidence)
    if isinstance(verdict, Continue) and verdict.cause == "unconfirmed":
        evidence = compare_with_baseline(contract, confirm(evidence, contract, site))
        verdict = decide(contract, progress, evidence)
    return evidence, verdict


def _load_baseline(
    context: Context, record: Record, progress: Progress
) -> tuple[BaselineResult, ...] | None:
    """What is known of the baseline; a check that could not be judged then is not."""
    if not progress.baseline:
        return None
    folder = context.loops.get_folder(record.contract.id)
    results = baseline_records.read_results(folder, progress.baseline, tuple[BaselineResult, ...])
    return tuple(result for result in results if result.outcome in ("green", "red"))


def _site(context: Context, call: Call, loop: StoppedLoop) -> Site:
    record = loop.record
    return Site(
        project=loop.project,
        log=_make_logs(loop.project, record.contract, record.progress.round + 1),
        session=context.session_of(record),
        end=compute_deadline(call),
        shared=project_folder(context.home, loop.project),
        loop=context.loops.get_folder(record.contract.id),
        kept=record.progress.baseline_tree_digest,
        unkept=record.progress.baseline_missing,
    )


def _make_logs(project: Path, contract: Contract, number: int) -> Path | None:
    if not contract.checks:
        return None
    from untildone.engine.artifacts import make_log_folder

    return make_log_folder(project, contract.id, number)


def run_round_checks(evidence: Evidence, contract: Contract, site: Site) -> Evidence:
    """With the round's checks and the must-not commands run."""
    quick = [check for check in contract.checks if check.when == "round"]
    if not quick and not contract.must_not:
        return evidence
    forbidden = [Check(name=command, command=command) for command in contract.must_not]
    held, fault = run([*quick, *forbidden], site, report=_import_confirmation)
    held = _apply_fixes(held, quick, site) if not fault else held
    limits = held[len(quick) :]
    # A limit that cannot be tested is a check that cannot run, not one that holds.
    untested = tuple(result for result in limits if result.outcome == "unrunnable")
    return replace(
        evidence,
        checks=tuple(held[: len(quick)]) + untested,
        forbidden=tuple(result.command for result in limits if result.exit_code == 0),
        fault=evidence.fault or fault,
        tree=fingerprint_project(site.project),
    )


def _import_confirmation(_: Check, result: CheckResult | None) -> None:
    """Imports what green checks need next while they run: importing takes longer."""
    from contextlib import suppress
    from threading import Thread

    def import_proof() -> None:
        # The import that needs it raises the error again.
        with suppress(ImportError):
            import untildone.integrity.confirmation  # noqa: F401  for the next import of it

    if result is None:
        Thread(target=import_proof, daemon=True).start()


def _apply_fixes(
    results: tuple[CheckResult, ...], checks: list[Check], site: Site
) -> tuple[CheckResult, ...]:
    """Red checks that name a safe fix of their tool are fixed and run again."""
    fixable = [
        check
        for check, result in zip(checks, results, strict=False)
        if check.fix and result.outcome == "red"
    ]
    if not fixable:
        return results
    from untildone.process.command import filter_environment, parse_argv
    from untildone.process.runner import run as start

    for check in fixable:
        start(
            parse_argv(check.fix),
            cwd=site.project / check.cwd,
            timeout=check.timeout,
            env=filter_environment(os.environ) | check.env,
        )
    again, _ = run(fixable, site)
    repeated = {result.name: result for result in again}
    fixes = {check.name: check.fix for check in fixable}
    return tuple(
        replace(repeated[result.name], fixed_by=fixes[result.name])
        if result.name in repeated
        else result
        for result in results
    )


def confirm(evidence: Evidence, contract: Contract, site: Site) -> Evidence:
    """Runs the slow checks and compares the tree with the baseline.

    What was only remembered is run too: `done` rests on a run made for it. Where all that judges
    is as in the baseline, the run in the sandbox is that run.
    """
    fresh = tuple(result for result in evidence.checks if not result.cached)
    try:
        return _compare_and_confirm(replace(evidence, checks=fresh), contract, site)
    except Exception as error:  # noqa: BLE001  what an agent wrote must not set it free by failing us
        fault = f"the comparison with the baseline failed ({type(error).__name__}: {error})"
        return replace(evidence, fault=evidence.fault or fault)


def _compare_and_confirm(evidence: Evidence, contract: Contract, site: Site) -> Evidence:
    # Imported where it is used: only a stop at which all is met gets here.
    from untildone.integrity.confirmation import confirm
    from untildone.integrity.confirmation_inputs import load_inputs

    inputs = load_inputs(
        contract,
        site.project,
        folder=site.loop / "baseline",
        digest=site.kept,
        missing=site.unkept,
    )
    here = [check for check in contract.checks if not inputs.covers(check)]
    evidence = compare_with_baseline(contract, _run_missing_checks(evidence, here, site))
    if evidence.fault or any(not result.green for result in evidence.checks):
        return evidence
    evidence = confirm(evidence, inputs, lambda checks, sandbox: run(checks, site, place=sandbox))
    return _run_missing_checks(evidence, contract.checks, site)


def _run_missing_checks(evidence: Evidence, checks: Sequence[Check], site: Site) -> Evidence:
    """With a run of those that have no result yet."""
    made = {result.name: result for result in evidence.checks}
    missing = [check for check in checks if check.name not in made]
    results, fault = run(missing, site, fresh=True)
    made |= {result.name: result for result in results}
    return replace(evidence, checks=tuple(made.values()), fault=evidence.fault or fault)
