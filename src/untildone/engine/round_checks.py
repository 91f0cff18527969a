"""Runs the checks of every round at one stop, and a check's own `fix` before the agent is asked."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event, Thread

from msgspec.structs import replace

from untildone.core.check_results import CheckResult
from untildone.core.contract import Check, Contract
from untildone.core.evidence import Evidence
from untildone.core.time_limits import find_time_limit
from untildone.engine.check_run import CheckSite, run_within_deadline
from untildone.engine.context import fingerprint_project
from untildone.process.command import filter_environment, parse_argv
from untildone.process.runner import run as run_command
from untildone.worktree.listing import read_head


def run_round_checks(
    evidence: Evidence,
    contract: Contract,
    site: CheckSite,
    *,
    meanwhile: Callable[[Event], None] | None = None,
) -> Evidence:
    """Return the evidence with the results of the round's checks and the must-not commands.

    A must-not command, such as `grep -r TODO src`, runs like a check; exit status 0 means that
    what the user forbids is there. `meanwhile` is called once the first check has started, with an
    event that is set when all checks have ended.
    """
    round_checks = [check for check in contract.checks if check.when == "round"]
    if not round_checks and not contract.must_not:
        return evidence
    must_not_checks = [Check(name=command, command=command) for command in contract.must_not]
    checks = [*round_checks, *must_not_checks]
    trees: list[str] = []
    site = replace(site, on_tree=trees.append)
    if meanwhile:
        results, fault = _run_beside(meanwhile, checks, site)
    else:
        results, fault = run_within_deadline(checks, site, report=_import_confirmation)
    results = _apply_fixes(results, round_checks, site) if not fault else results
    must_not_results = results[len(round_checks) :]
    # A must-not command that cannot run proves nothing: it counts as a check that cannot run.
    untested = tuple(result for result in must_not_results if result.outcome == "unrunnable")
    return replace(
        evidence,
        checks=results[: len(round_checks)] + untested,
        forbidden=tuple(result.command for result in must_not_results if result.exit_code == 0),
        fault=evidence.fault or fault,
        # That of the last run: after a fix it is another one.
        tree=trees[-1] if trees else fingerprint_project(site.project),
        commit=read_head(site.project),
    )


def _import_confirmation(_: Check, result: CheckResult | None) -> None:
    """Import the modules of the confirmation in a thread as soon as the first check starts.

    The import takes longer than quick checks do: a stop whose checks are green waits less for it.
    """

    def import_module() -> None:
        # The import that needs it raises the error again.
        with suppress(ImportError):
            import untildone.integrity.confirmation  # noqa: F401  for the next import of it

    # `run_checks` reports each check twice: without a result when it starts, with one at its end.
    if result is None:
        Thread(target=import_module, daemon=True).start()


def _run_beside(
    meanwhile: Callable[[Event], None], checks: Sequence[Check], site: CheckSite
) -> tuple[tuple[CheckResult, ...], str]:
    """Run the checks in a thread, and call `meanwhile` in this one once the first has started.

    Files may only be read here: a signal that ends reading after its time reaches no other thread.
    """
    started, ended = Event(), Event()

    def run() -> tuple[tuple[CheckResult, ...], str]:
        try:
            return run_within_deadline(checks, site, report=lambda *_: started.set())
        finally:
            started.set()
            ended.set()

    with ThreadPoolExecutor(max_workers=1) as pool:
        running = pool.submit(run)
        started.wait()
        if not running.done():
            meanwhile(ended)
        return running.result()


def _apply_fixes(
    results: tuple[CheckResult, ...], checks: list[Check], site: CheckSite
) -> tuple[CheckResult, ...]:
    """Run the `fix` command of each red check that has one, then that check again.

    Example: the check `ruff check .` with the fix `ruff check --fix .`. Returns all results, those
    of repeated checks with `fixed_by`.
    """
    fixable = {
        index: check
        for index, (check, result) in enumerate(zip(checks, results, strict=False))
        if check.fix and result.outcome == "red"
    }
    for check in fixable.values():
        run_command(
            parse_argv(check.fix),
            cwd=site.project / check.cwd,
            timeout=find_time_limit(check.timeout, ()),
            env=filter_environment(os.environ) | check.env,
        )
    new_results, _ = run_within_deadline(list(fixable.values()), site)
    merged = list(results)
    for (index, check), result in zip(fixable.items(), new_results, strict=True):
        merged[index] = replace(result, fixed_by=check.fix)
    return tuple(merged)
