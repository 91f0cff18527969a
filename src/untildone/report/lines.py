"""One line on a loop, for a status line, a notice, a terminal."""

from untildone.loop.criteria import agreed
from untildone.loop.listing import counts
from untildone.loop.losses import name_of
from untildone.loop.model import (
    OUTCOMES,
    CheckResult,
    Continue,
    Contract,
    Finish,
    Ignore,
    Pause,
    Progress,
    Verdict,
    Wait,
)
from untildone.report.totals import improvement, in_words
from untildone.store.loops import Record

_LEFT = 4


def place(contract: Contract, progress: Progress) -> str:
    bound = agreed(contract, progress.amendments).bounds.rounds
    return f"round {progress.round} of {bound}" if bound else f"round {progress.round}"


def status_line(record: Record) -> str:
    contract, progress = record.contract, record.progress
    parts = [f"untildone {contract.id}", place(contract, progress)]
    if progress.status != "active":
        parts.insert(1, f"{progress.status} ({progress.outcome})")
    if progress.unmet:
        parts.append(f"unmet: {', '.join(progress.unmet[:4])}")
    if progress.spend_usd is not None:
        parts.append(f"{progress.spend_usd:.2f} USD")
    return " | ".join(parts)


def notice(record: Record, verdict: Verdict, checks: tuple[CheckResult, ...]) -> str:
    """What the person is told of a verdict; nothing where nothing happened to their loop."""
    contract, progress = record.contract, record.progress
    match verdict:
        case Continue(because="background" | "fault"):
            return f"untildone: held ({verdict.because}): {', '.join(verdict.names)}"
        case Continue(because="losses"):
            names = ", ".join(name_of(finding) for finding in verdict.names[:_LEFT])
            return f"untildone: held, {place(contract, progress)}, lost against the start: {names}"
        case Continue():
            red = [f"{result.name} {counts(result)}" for result in checks if not result.green]
            unmet = "; ".join(red) or ", ".join(verdict.names) or "the agent's word"
            held = f"untildone: held, {place(contract, progress)}, unmet: {unmet}"
            return f"{held} | {_counted(progress)}" if contract.counts else held
        case Finish(outcome="done"):
            names = ", ".join(f"{result.name} {counts(result)}" for result in checks)
            ended = f"untildone: done after {_rounds(progress)}: {names}"
            return _with_improvement(ended, progress)
        case Finish():
            ended = f"untildone: {verdict.outcome} after {_rounds(progress)}: {verdict.reason}"
            return _with_improvement(ended, progress)
        case Pause(outcome="gate"):
            return f"untildone: {verdict.reason} Your next prompt is the answer."
        case Pause(outcome="needs-approval"):
            return (
                f"untildone: paused (needs-approval): {verdict.reason}."
                f" Nobody holds the agent now. `untildone show {contract.id}` shows the changes. If"
                " you wanted them: `untildone approve --all`. If not: have them restored, then"
                " `untildone continue`"
            )
        case Pause():
            resume = OUTCOMES[verdict.outcome].resume
            ended = (
                f"untildone: paused ({verdict.outcome}): {verdict.reason}."
                f" Nobody holds the agent now; resume with `untildone {resume}`"
            )
            left = f" | left: {', '.join(progress.unmet[:_LEFT])}" if progress.unmet else ""
            return _with_improvement(ended + left, progress)
        case Wait() | Ignore():
            return ""


def _counted(progress: Progress) -> str:
    now = in_words(progress.totals) if progress.totals else ""
    gone = "" if progress.improved is None else f", progress: {progress.improved} %"
    return f"now: {now or 'nothing'}{gone}"


def _with_improvement(ended: str, progress: Progress) -> str:
    moved = improvement(progress.start_totals, progress.totals, progress.improved)
    return f"{ended} | {moved}" if moved else ended


def _rounds(progress: Progress) -> str:
    return "1 round" if progress.round == 1 else f"{progress.round} rounds"
