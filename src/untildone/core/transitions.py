"""Transitions: the progress of a loop after a verdict, a resumption, an end."""

from msgspec.structs import replace

from untildone.core.concerns import unapproved
from untildone.core.contract import Contract
from untildone.core.criteria import apply_amendments
from untildone.core.evidence import Evidence
from untildone.core.progress import STOPPED, Progress, Status
from untildone.core.regressions import compared
from untildone.core.stagnation import MOST_FAILURES, get_round_state, repeats, stale_rounds
from untildone.core.totals import totals
from untildone.core.verdict import OUTCOMES, Continue, Finish, Ignore, Pause, Verdict, Wait


def advance(
    contract: Contract, progress: Progress, evidence: Evidence, verdict: Verdict
) -> Progress:
    """The progress after this verdict was given."""
    contract = apply_amendments(contract, progress.amendments)
    progress = replace(progress, spend_usd=spend(progress, evidence))
    match verdict:
        case Ignore():
            return progress
        case Wait() if evidence.turn == "agent":
            return progress
        case Wait():
            return _waiting(progress, evidence)
        case Continue(counted=False):
            return _uncounted(progress, evidence, verdict)
        case Continue():
            return _judged(contract, progress, evidence, verdict)
        case Finish(outcome="cancelled") | Pause(outcome="paused" | "tampered"):
            return ended(progress, verdict)
        case Finish() | Pause():
            return ended(_judged(contract, progress, evidence, verdict), verdict)


def _waiting(progress: Progress, evidence: Evidence) -> Progress:
    """Only the person's own word uses up the one time they have per prompt."""
    theirs = evidence.turn in ("queued", "question")
    return replace(
        progress,
        waited_for=evidence.prompt if theirs else progress.waited_for,
        # What is queued is taken up at once; otherwise the agent rests until the next prompt.
        clock=progress.clock if evidence.turn == "queued" else STOPPED,
    )


def spend(progress: Progress, evidence: Evidence) -> float | None:
    if evidence.spend_usd is None:
        return progress.spend_usd
    return max(evidence.spend_usd, progress.spend_usd or 0)


def ended(progress: Progress, verdict: Finish | Pause) -> Progress:
    status: Status = "finished" if OUTCOMES[verdict.outcome].status == "finished" else "paused"
    return replace(progress, status=status, outcome=verdict.outcome, reason=verdict.reason)


def _uncounted(progress: Progress, evidence: Evidence, verdict: Continue) -> Progress:
    told = tuple(work.id for work in evidence.background)
    return replace(
        progress,
        told_background=tuple(dict.fromkeys((*progress.told_background, *told))),
        faults=progress.faults + (verdict.because == "fault"),
        idle_holds=progress.idle_holds + 1,
    )


def _judged(
    contract: Contract, progress: Progress, evidence: Evidence, verdict: Verdict
) -> Progress:
    because = verdict.because if isinstance(verdict, Continue) else ""
    state = get_round_state(contract, progress, evidence)
    found = state.failures
    red = tuple(result.name for result in evidence.checks if result.outcome == "red")
    return replace(
        _measured(progress, evidence),
        round=progress.round + 1,
        unmet=state.unmet,
        failures=found[:MOST_FAILURES],
        remaining=len(found),
        repeated=progress.repeated + 1 if repeats(progress, found) else int(bool(found)),
        tree=evidence.tree,
        seen_failures=tuple(dict.fromkeys((*found, *progress.seen_failures)))[:MOST_FAILURES],
        seen_red=tuple(dict.fromkeys((*progress.seen_red, *red))),
        recent=(*progress.recent, state.key)[-3:],
        stale=stale_rounds(progress, state),
        idle_holds=progress.idle_holds + bool(because),
        blocked_told=because == "blocked",
        unrunnable_told=because == "unrunnable",
        reported_concerns=_asked_about(contract, progress, evidence, verdict),
        faults=0,
        signalled=False,
        # What the person confirmed was true then.
        confirmed=progress.confirmed and not state.unmet,
        blocked="",
        report=None,
        steps_told=len(progress.steps_done),
        round_seconds=0,
    )


def _asked_about(
    contract: Contract, progress: Progress, evidence: Evidence, verdict: Verdict
) -> tuple[str, ...]:
    """What is lost now and was told, by this verdict or before."""
    if evidence.concerns is None:
        return progress.reported_concerns
    match verdict:
        case Continue(because="losses") | Pause(outcome="needs-approval"):
            told = {each.id for each in evidence.concerns}
        case _:
            told = set(progress.reported_concerns)
    return tuple(each.id for each in unapproved(evidence, contract.allow) if each.id in told)


def _measured(progress: Progress, evidence: Evidence) -> Progress:
    if not evidence.checks:
        return progress
    counted = totals(evidence.checks)
    seen = compared(evidence)
    return replace(
        progress,
        baseline_totals=progress.baseline_totals or counted,
        totals=counted,
        fixed=seen.fixed,
        improved=seen.improved,
    )


def resumed(progress: Progress) -> Progress:
    """Active again by the person's word: what had led to the pause is counted anew."""
    return replace(
        progress,
        status="active",
        outcome=None,
        reason="",
        stale=0,
        recent=(),
        idle_holds=0,
        blocked_told=False,
        unrunnable_told=False,
        faults=0,
        round_seconds=0,
    )
