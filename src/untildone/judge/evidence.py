"""Gathering what is known at a stop: the person, the clock, the words, the checks."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from untildone.agents.events import Stop
from untildone.judge.context import Context
from untildone.judge.speaker import ignored, tail
from untildone.loop import words
from untildone.loop.model import Check, CheckResult, Contract, Evidence, Progress, Turn
from untildone.store.loops import Record
from untildone.store.sessions import Session

if TYPE_CHECKING:
    from threading import Event

# The client ends a Stop hook at 3600 s (`init` sets it); ours ends before, with an answer.
DEADLINE = 3_500.0


def before_checks(context: Context, record: Record, progress: Progress, stop: Stop) -> Evidence:
    """What costs nothing to know."""
    contract = record.contract
    session = context.session_of(record)
    said = words.promises_said(stop.message, contract.promises) if contract.promises else ()
    return Evidence(
        ignored=ignored(context.agent, context.environ),
        broken_seal=context.loops.seal_broken(contract.id),
        turn=turn(context, session, stop, root(contract, stop)),
        prompt=stop.prompt,
        background=stop.background,
        said=said,
        signalled=progress.signalled or words.signalled(stop.message),
        blocked=progress.blocked or words.blocked(stop.message),
        spend_usd=spend(session, contract.id),
        minutes=progress.active_seconds / 60,
        round_minutes=progress.round_seconds / 60,
        cap_reached=bool(stop.cap) and progress.idle_holds >= stop.cap,
    )


def root(contract: Contract, stop: Stop) -> Path:
    """The worktree the agent works in, if it is one of the contract's repository."""
    project = Path(contract.project)
    if not stop.cwd or Path(stop.cwd) == project:
        return project
    from untildone.checks import tree

    top, own = tree.root_of(Path(stop.cwd)), tree.root_of(project)
    if top and own and top != own and tree.same_repository(top, own):
        return top / project.relative_to(own)
    return project


def turn(context: Context, session: Session, stop: Stop, project: Path) -> Turn:
    if stop.plan_mode:
        return "plan"
    # Nobody types into an unattended run: what its transcript has in the queue is its own prompt.
    if stop.attended and context.agent.queued(tail(stop.transcript)):
        return "queued"
    prompt = session.read_json("prompt.json")
    if prompt.get("kind") != "other" or prompt.get("id") != stop.prompt:
        return "agent"
    return "question" if prompt.get("tree") == tree_of(project) else "agent"


def spend(session: Session, loop: str) -> float | None:
    """What the status line's own figure says this loop cost."""
    known = session.read_json("spend.json")
    first, total = known.get("first"), known.get("total")
    if known.get("loop") != loop or not isinstance(first, float) or not isinstance(total, float):
        return None
    return max(0.0, total - first)


def clocked(progress: Progress) -> Progress:
    """Active time by the monotonic clock of this boot: a jump of the wall clock changes nothing."""
    boot, now = boot_id(), time.monotonic()
    known, mark = progress.clock
    passed = max(0.0, now - mark) if known == boot else 0.0
    return replace(
        progress,
        active_seconds=progress.active_seconds + passed,
        round_seconds=progress.round_seconds + passed,
        clock=(boot, now),
    )


def boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    except OSError:
        return str(round((time.time() - time.monotonic()) / 60))


def checked(
    evidence: Evidence, contract: Contract, *, project: Path, log: Path | None, session: Session
) -> Evidence:
    """With the round's checks and the must-not commands run."""
    quick = [check for check in contract.checks if check.when == "round"]
    if not quick and not contract.must_not:
        return evidence
    forbidden = [Check(name=command, command=command) for command in contract.must_not]
    with watched(session) as (stop, late):
        held = run([*quick, *forbidden], project=project, log=log, stop=stop)
    fault = f"the checks did not end within {DEADLINE / 60:.0f} minutes" if late.is_set() else ""
    holds = tuple(result.command for result in held[len(quick) :] if result.exit_code == 0)
    return replace(
        evidence,
        checks=tuple(held[: len(quick)]),
        forbidden=holds,
        fault=evidence.fault or fault,
        tree=tree_of(project) if held else "",
    )


def tree_of(project: Path) -> str:
    from untildone.checks.content import fingerprint

    return fingerprint(project)


def confirmed(
    evidence: Evidence, contract: Contract, *, project: Path, log: Path | None, session: Session
) -> Evidence:
    """With the slow checks run, and the comparison with the start made if they pass."""
    slow = [check for check in contract.checks if check.when == "done"]
    with watched(session) as (stop, _):
        results = run(slow, project=project, log=log, stop=stop)
    evidence = replace(evidence, checks=evidence.checks + tuple(results))
    if any(not result.green for result in evidence.checks):
        return evidence
    return replace(evidence, losses=())


def run(
    checks: Sequence[Check], *, project: Path, log: Path | None, stop: "Event"
) -> tuple[CheckResult, ...]:
    if not checks:
        return ()
    # Imported where it is used: a stop without checks must not pay for it.
    from untildone.checks.runner import run_checks
    from untildone.process import ending_with_us

    with ending_with_us():
        return run_checks(checks, project=project, log_folder=log, stop=stop)


@contextmanager
def watched(session: Session) -> Iterator[tuple["Event", "Event"]]:
    """An event set when the person ends the loop or the deadline comes, and which of it it was."""
    import threading

    stop, late, over = threading.Event(), threading.Event(), threading.Event()
    end = time.monotonic() + DEADLINE

    def watch() -> None:
        while not over.wait(0.3):
            if time.monotonic() > end:
                late.set()
            if late.is_set() or not session.active():
                stop.set()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield stop, late
    finally:
        over.set()
        watcher.join()
