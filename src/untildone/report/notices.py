"""Lines that tell the user about a loop: its status line, the notice after a verdict, a pause."""

from untildone.core.check_results import CheckResult
from untildone.core.concerns import strip_content_digest
from untildone.core.contract import Contract
from untildone.core.failure_list import summarize_result
from untildone.core.progress import Progress
from untildone.core.text import pluralize
from untildone.core.verdict import OUTCOMES, Continue, Finish, Ignore, Outcome, Pause, Verdict, Wait
from untildone.report.totals import describe_improvement, describe_totals
from untildone.store.loops import Record

_SHOWN = 4


def describe_round(contract: Contract, progress: Progress) -> str:
    bound = contract.bounds.rounds
    return f"round {progress.round} of {bound}" if bound else f"round {progress.round}"


def format_status_line(record: Record) -> str:
    """Return `untildone 1f2e | round 3 of 10 | unmet: test | 0.42 USD`."""
    contract, progress = record.agreed, record.progress
    parts = [f"untildone {contract.id}", describe_round(contract, progress)]
    if progress.status != "active":
        parts.insert(1, f"{progress.status}{_format_outcome(progress.outcome, progress.status)}")
    if progress.unmet:
        parts.append(f"unmet: {', '.join(progress.unmet[:_SHOWN])}")
    if progress.spend_usd is not None:
        parts.append(f"{progress.spend_usd:.2f} USD")
    return " | ".join(parts)


def describe_next_step(loop: str, outcome: Outcome) -> str:
    """Say how the user continues a paused loop; empty where that is not possible."""
    if OUTCOMES[outcome].status != "paused":
        return ""
    if outcome == "gate":
        return "your next prompt answers"
    if outcome == "needs-approval":
        return (
            f"`untildone show {loop}`, then `untildone approve --all --loop {loop}`,"
            f" or `untildone continue {loop}` after you restored it"
        )
    verb, _, bound = OUTCOMES[outcome].resume.partition(" ")
    return f"`{' '.join(filter(None, ('untildone', verb, loop, bound)))}`"


def describe_pause(record: Record) -> str:
    loop, outcome = record.contract.id, record.progress.outcome or "paused"
    return (
        f"untildone: loop {loop} is paused{_format_outcome(outcome)}: {record.progress.reason}."
        f" To continue: {describe_next_step(loop, outcome)}"
    )


def describe_verdict(record: Record, verdict: Verdict, checks: tuple[CheckResult, ...]) -> str:
    """Return the notice that the user sees; empty where the verdict changes nothing."""
    contract, progress = record.agreed, record.progress
    match verdict:
        case Continue(cause="background" | "fault"):
            return f"untildone: held ({verdict.cause}): {', '.join(verdict.names)}"
        case Continue(cause="losses"):
            names = ", ".join(strip_content_digest(finding) for finding in verdict.names[:_SHOWN])
            return f"untildone: held, {describe_round(contract, progress)}, concerns: {names}"
        case Continue(cause="unchanged"):
            held = f"untildone: held, {describe_round(contract, progress)}"
            return f"{held}: green as in the baseline, and no file was changed"
        case Continue():
            red = [
                f"{result.name} {summarize_result(result)}" for result in checks if not result.green
            ]
            unmet = "; ".join(red) or ", ".join(verdict.names) or "the agent's word"
            counts = f" | {_describe_counts(progress)}" if contract.counts else ""
            return f"untildone: held, {describe_round(contract, progress)}, unmet: {unmet}{counts}"
        case Finish(outcome="done"):
            names = ", ".join(f"{result.name} {summarize_result(result)}" for result in checks)
            text = f"untildone: done after {pluralize(progress.round, 'round')}: {names}"
            return _add_improvement(text, progress)
        case Finish():
            rounds = pluralize(progress.round, "round")
            text = f"untildone: {verdict.outcome} after {rounds}: {verdict.reason}"
            return _add_improvement(text, progress)
        case Pause():
            return _describe_new_pause(contract.id, progress, verdict)
        case Wait():
            return (
                f"untildone: released, not judged: {verdict.reason}; loop {contract.id} is active"
            )
        case Ignore():
            return ""


def _format_outcome(outcome: Outcome | None, status: str = "paused") -> str:
    """Return ` (stagnated)`; empty where the outcome says no more than the status."""
    return "" if outcome in (None, status) else f" ({outcome})"


def _describe_new_pause(loop: str, progress: Progress, pause: Pause) -> str:
    if pause.outcome == "gate":
        return f"untildone: {pause.reason} Your next prompt is the answer."
    text = (
        f"untildone: paused{_format_outcome(pause.outcome)}: {pause.reason}."
        " The agent is no longer held"
    )
    if pause.outcome == "needs-approval":
        return (
            f"{text}. `untildone show {loop}` shows the changes. If you wanted them:"
            " `untildone approve --all`. If not: restore them, then `untildone continue`"
        )
    text += f"; resume with `untildone {OUTCOMES[pause.outcome].resume}`"
    if progress.unmet:
        text += f" | left: {', '.join(progress.unmet[:_SHOWN])}"
    return _add_improvement(text, progress)


def _describe_counts(progress: Progress) -> str:
    totals = describe_totals(progress.totals) if progress.totals else ""
    per_cent = "" if progress.improved is None else f", progress: {progress.improved} %"
    return f"now: {totals or 'nothing'}{per_cent}"


def _add_improvement(text: str, progress: Progress) -> str:
    improvement = describe_improvement(progress.baseline_totals, progress.totals, progress.improved)
    return f"{text} | {improvement}" if improvement else text
