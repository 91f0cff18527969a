"""The checks of one stop: run within its deadline, broken off when the person ends the loop."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.check_results import CheckResult
from untildone.core.contract import Check, Contract
from untildone.core.criteria import compare_with_baseline
from untildone.core.evidence import Evidence
from untildone.engine.context import tree_of
from untildone.engine.payload import Call
from untildone.store.sessions import Session

if TYPE_CHECKING:
    from threading import Event

    from untildone.checks.runner import Running
    from untildone.sandbox.sandboxes import Sandbox

# The client ends a Stop hook at 3600 s (`init` sets it); ours ends before, with an answer.
DEADLINE = 3_500.0


class Site(Struct, frozen=True, kw_only=True):
    """Where and until when: `end` is a time of the monotonic clock."""

    project: Path
    log: Path | None
    session: Session
    end: float
    # What all sessions of the project share: one run at a time, and what it came to.
    shared: Path
    # Where the loop's files are, and what of the start is kept there, or why it is not.
    loop: Path
    kept: str = ""
    unkept: str = ""


def end_of(call: Call) -> float:
    """One deadline for all of a stop, counted from its arrival."""
    return call.began + DEADLINE


def checked(evidence: Evidence, contract: Contract, site: Site) -> Evidence:
    """With the round's checks and the must-not commands run."""
    quick = [check for check in contract.checks if check.when == "round"]
    if not quick and not contract.must_not:
        return evidence
    forbidden = [Check(name=command, command=command) for command in contract.must_not]
    held, fault = run([*quick, *forbidden], site)
    held = _fixed(held, quick, site) if not fault else held
    limits = held[len(quick) :]
    # A limit that cannot be tested is a check that cannot run, not one that holds.
    untested = tuple(result for result in limits if result.outcome == "unrunnable")
    return replace(
        evidence,
        checks=tuple(held[: len(quick)]) + untested,
        forbidden=tuple(result.command for result in limits if result.exit_code == 0),
        fault=evidence.fault or fault,
        tree=tree_of(site.project),
    )


def _imported_meanwhile(_check: Check, result: CheckResult | None) -> None:
    """What green checks need next, while they run: it takes longer to import than to do."""
    from contextlib import suppress
    from threading import Thread

    def import_proof() -> None:
        # Whoever needs it will hear of the error.
        with suppress(ImportError):
            import untildone.integrity.confirmation  # noqa: F401  for the next import of it

    if result is None:
        Thread(target=import_proof, daemon=True).start()


def _fixed(
    results: tuple[CheckResult, ...], checks: list[Check], site: Site
) -> tuple[CheckResult, ...]:
    """Red ones that name a safe fix of their tool: mended and run again before anybody is asked."""
    fixable = [
        check
        for check, result in zip(checks, results, strict=False)
        if check.fix and result.outcome == "red"
    ]
    if not fixable:
        return results
    from untildone.process import argv_of, environment
    from untildone.process import run as start

    for check in fixable:
        start(
            argv_of(check.fix),
            cwd=site.project / check.cwd,
            timeout=check.timeout,
            env=environment(os.environ) | check.env,
        )
    again, _ = run(fixable, site)
    mended = {result.name: result for result in again}
    fixes = {check.name: check.fix for check in fixable}
    return tuple(
        replace(mended[result.name], fixed_by=fixes[result.name])
        if result.name in mended
        else result
        for result in results
    )


def confirmed(evidence: Evidence, contract: Contract, site: Site) -> Evidence:
    """With the slow checks run, and what the start had proved to be there still.

    What was only remembered is run too: `done` rests on a run made for it. Where all that judges
    is as it was at the start, the run in the clean copy is that run.
    """
    fresh = tuple(result for result in evidence.checks if not result.cached)
    try:
        return _confirmed(replace(evidence, checks=fresh), contract, site)
    except Exception as error:  # noqa: BLE001  what an agent wrote must not set it free by failing us
        told = f"the comparison with the start failed ({type(error).__name__}: {error})"
        return replace(evidence, fault=evidence.fault or told)


def _confirmed(evidence: Evidence, contract: Contract, site: Site) -> Evidence:
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
    evidence = compare_with_baseline(contract, _completed(evidence, here, site))
    if evidence.fault or any(not result.green for result in evidence.checks):
        return evidence
    evidence = confirm(evidence, inputs, lambda checks, sandbox: run(checks, site, place=sandbox))
    return _completed(evidence, contract.checks, site)


def _completed(evidence: Evidence, checks: Sequence[Check], site: Site) -> Evidence:
    """With a run of those that have no result yet."""
    made = {result.name: result for result in evidence.checks}
    missing = [check for check in checks if check.name not in made]
    results, fault = run(missing, site, fresh=True)
    made |= {result.name: result for result in results}
    return replace(evidence, checks=tuple(made.values()), fault=evidence.fault or fault)


def run(
    checks: Sequence[Check], site: Site, *, fresh: bool = False, place: "Sandbox | None" = None
) -> tuple[tuple[CheckResult, ...], str]:
    """The results, and our fault if the deadline came first."""
    if not checks:
        return (), ""
    # Imported where it is used: a stop without checks must not pay for it.
    from untildone.checks.memory import Memory
    from untildone.checks.runner import Running, run_checks
    from untildone.process import ending_with_us, environment
    from untildone.store.lock import locked

    memory = Memory(site.shared / "checks", environment(os.environ), serving=not fresh)
    site.shared.mkdir(parents=True, exist_ok=True, mode=0o700)
    patience = max(1.0, site.end - time.monotonic())
    with (
        ending_with_us(),
        watched(site) as (stop, late),
        locked(site.shared / "checks.lock", timeout=patience),
    ):
        running = Running(project=site.project, logs=site.log, memory=memory, stop=stop)
        running = _in_room(running, place) if place else running
        results = run_checks(checks, running, report=_imported_meanwhile)
    minutes = DEADLINE / 60
    return results, f"the checks did not end within {minutes:.0f} minutes" if late.is_set() else ""


def _in_room(running: "Running", place: "Sandbox") -> "Running":
    logs = running.logs / "replay" if running.logs else None
    return replace(
        running,
        project=place.project,
        environ=place.environ,
        through=place.through,
        seen=place.seen,
        logs=logs,
        memory=None,
    )


@contextmanager
def watched(site: Site) -> Iterator[tuple["Event", "Event"]]:
    """An event set when the person ends the loop or the deadline comes, and which of it it was."""
    import threading

    stop, late, over = threading.Event(), threading.Event(), threading.Event()

    def watch() -> None:
        while not over.wait(0.3):
            if time.monotonic() > site.end:
                late.set()
            if late.is_set() or not site.session.active():
                stop.set()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield stop, late
    finally:
        over.set()
        watcher.join()
