"""Lines that tell the user about a loop: its status line, the notice after a verdict, a pause."""

from untildone.core.check_results import CheckResult
from untildone.core.concerns import strip_content_digest
from untildone.core.contract import Contract
from untildone.core.evidence import ChangeEvidence, Concern
from untildone.core.failure_list import summarize_result
from untildone.core.progress import Progress
from untildone.core.proof import describe_change
from untildone.core.questions import ask_user, summarize_questions
from untildone.core.text import pluralize
from untildone.core.verdict import OUTCOMES, Continue, Finish, Ignore, Outcome, Pause, Verdict, Wait
from untildone.report.times import describe_effort
from untildone.report.totals import describe_improvement, describe_totals
from untildone.report.verdict_names import name_outcome, name_state
from untildone.store.loops import Record

# What resumes a loop in its own session; it grants as much again as the loop was started with.
SLASH_CONTINUE = "/untildone:continue"
_SHOWN = 4
# Outcomes at which the loop waits for an answer of the user.
_QUESTIONS = ("gate", "needs-approval")


def describe_round(contract: Contract, progress: Progress) -> str:
    bound = contract.bounds.rounds
    return f"round {progress.round} of {bound}" if bound else f"round {progress.round}"


def format_status_line(record: Record) -> str:
    """Return `untildone 1f2e | round 3 of 10 | unmet: test | 0.42 USD`."""
    contract, progress = record.agreed, record.progress
    parts = [f"untildone {contract.id}", describe_round(contract, progress)]
    if progress.status != "active":
        parts.insert(1, name_state(progress))
    if progress.unmet:
        parts.append(f"unmet: {', '.join(progress.unmet[:_SHOWN])}")
    if progress.spend_usd is not None:
        parts.append(f"{progress.spend_usd:.2f} USD")
    return " | ".join(parts)


def describe_next_step(loop: str, outcome: Outcome, *, in_session: bool = False) -> str:
    """Say how the user continues a paused loop; empty where that is not possible.

    With `in_session` they sit in the loop's own session, where a slash command does it.
    """
    if OUTCOMES[outcome].status != "paused":
        return ""
    if outcome == "gate":
        return "your next prompt answers"
    if outcome == "needs-approval":
        return (
            f"`untildone approve --loop {loop}` if you wanted it,"
            f" or `untildone continue {loop}` after you undid it"
        )
    if in_session:
        return f"`{SLASH_CONTINUE}`"
    verb, _, bound = OUTCOMES[outcome].resume.partition(" ")
    return f"`{' '.join(filter(None, ('untildone', verb, loop, bound)))}`"


def describe_pause(record: Record, *, in_session: bool = False) -> str:
    loop, outcome = record.contract.id, record.progress.outcome or "paused"
    if outcome == "needs-approval":
        reason = record.progress.reason
        asked = reason if reason.endswith("?") else f"{reason}. Intended?"
        return (
            f"untildone: loop {loop} is paused (needs-approval): {asked}"
            " /untildone:approve, or undo it, then /untildone:continue"
        )
    return (
        f"untildone: loop {loop} is {name_outcome(outcome)}: {record.progress.reason}."
        f" To continue: {describe_next_step(loop, outcome, in_session=in_session)}"
    )


def describe_ending(record: Record, receipt: str) -> str:
    """Return what a loop took and where its receipt is: `4 min, 0.42 USD | receipt: FILE`."""
    return f"{describe_effort(record)} | receipt: {receipt}"


def describe_end_by_user(record: Record, receipt: str) -> str:
    """Return `loop 1f2e is cancelled after 3 rounds, 4 min, 0.42 USD | receipt: FILE`.

    What the features have to say about the end follows.
    """
    state, rounds = name_state(record.progress), pluralize(record.progress.round, "round")
    ending = describe_ending(record, receipt)
    text = f"loop {record.contract.id} is {state} after {rounds}, {ending}"
    return " | ".join((text, *record.warnings))


def describe_verdict(
    record: Record,
    verdict: Verdict,
    checks: tuple[CheckResult, ...],
    change: ChangeEvidence | None = None,
    receipt: str = "",
    *,
    concerns: tuple[Concern, ...] = (),
    in_session: bool = False,
) -> str:
    """Return the notice that the user sees; empty where the verdict changes nothing.

    An ending also says where the receipt is; a question to the user is no ending. `concerns` are
    those of the stop. With `in_session` the user reads it in the loop's own session.
    """
    if isinstance(verdict, Pause):
        text = _describe_new_pause(record.progress, verdict, in_session=in_session)
    elif isinstance(verdict, Continue) and verdict.cause == "losses" and concerns:
        asked = summarize_questions(ask_user(record.agreed, concerns))
        text = f"untildone: held, {describe_round(record.agreed, record.progress)}: {asked}"
    else:
        text = _describe_effect(record, verdict, checks, change)
    is_ending = isinstance(verdict, Finish | Pause) and verdict.outcome not in _QUESTIONS
    if not (is_ending and receipt):
        return text
    rounds = f"{pluralize(record.progress.round, 'round')}, " if isinstance(verdict, Pause) else ""
    return f"{text} | {rounds}{describe_ending(record, receipt)}"


def _describe_effect(
    record: Record,
    verdict: Continue | Finish | Wait | Ignore,
    checks: tuple[CheckResult, ...],
    change: ChangeEvidence | None,
) -> str:
    contract, progress = record.agreed, record.progress
    match verdict:
        case Continue():
            return _describe_hold(contract, progress, verdict, checks)
        case Finish(outcome="done"):
            named = [f"{result.name} {summarize_result(result)}" for result in checks]
            more = [f"{len(named) - _SHOWN} more green"] if len(named) > _SHOWN else []
            names = ", ".join((*named[:_SHOWN], *more))
            rounds = pluralize(progress.round, "round")
            shown = describe_change(change)
            text = f"untildone: done after {rounds}: {names}{f' | {shown}' if shown else ''}"
            # Behind "every check passes" the reason names checks that could not run.
            left_out = verdict.reason.partition("; ")[2]
            return _add_improvement(f"{text} | {left_out}" if left_out else text, progress)
        case Finish(outcome="cancelled"):
            return f"untildone: cancelled after {pluralize(progress.round, 'round')}"
        case Finish():
            rounds = pluralize(progress.round, "round")
            text = f"untildone: {verdict.outcome} after {rounds}: {verdict.reason}"
            return _add_improvement(text, progress)
        case Wait():
            return (
                f"untildone: released, not judged: {verdict.reason}; loop {contract.id} is active"
            )
        case Ignore():
            return ""


def _describe_hold(
    contract: Contract, progress: Progress, verdict: Continue, checks: tuple[CheckResult, ...]
) -> str:
    held = f"untildone: held, {describe_round(contract, progress)}"
    match verdict.cause:
        case "background" | "fault":
            return f"untildone: held ({verdict.cause}): {', '.join(verdict.names)}"
        case "losses":
            names = ", ".join(strip_content_digest(finding) for finding in verdict.names[:_SHOWN])
            return f"{held}, concerns: {names}"
        case "unchanged":
            return f"{held}: no file was changed, and all is green as in the baseline"
        case "unproved":
            return f"{held}: no test shows the change, and all is green as in the baseline"
        case _:
            red = [
                f"{result.name} {summarize_result(result)}" for result in checks if not result.green
            ]
            unmet = "; ".join(red) or ", ".join(verdict.names)
            if not unmet:
                return f"{held}: not reported as done"
            counts = f" | {_describe_counts(progress)}" if contract.counts else ""
            return f"{held}, unmet: {unmet}{counts}"


def _describe_new_pause(progress: Progress, pause: Pause, *, in_session: bool) -> str:
    if pause.outcome == "gate":
        return f"untildone: {pause.reason} Your next prompt is the answer."
    text = f"untildone: {name_outcome(pause.outcome)}: {pause.reason}. The agent is no longer held"
    resume = SLASH_CONTINUE if in_session else f"untildone {OUTCOMES[pause.outcome].resume}"
    text += f"; resume with `{resume}`"
    if progress.unmet:
        text += f" | left: {', '.join(progress.unmet[:_SHOWN])}"
    # What the user has not approved yet is no improvement.
    return text if progress.open_concerns else _add_improvement(text, progress)


def _describe_counts(progress: Progress) -> str:
    totals = describe_totals(progress.totals) if progress.totals else ""
    per_cent = "" if progress.improved is None else f", progress: {progress.improved} %"
    return f"now: {totals or 'nothing'}{per_cent}"


def _add_improvement(text: str, progress: Progress) -> str:
    improvement = describe_improvement(progress.baseline_totals, progress.totals, progress.improved)
    return f"{text} | {improvement}" if improvement else text
