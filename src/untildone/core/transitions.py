"""Transitions: the progress of a loop after a verdict, a resumption, an end."""

from msgspec.structs import replace

from untildone.core.concerns import find_unapproved
from untildone.core.contract import Contract
from untildone.core.criteria import apply_amendments
from untildone.core.evidence import Evidence
from untildone.core.failure_changes import compare_failures
from untildone.core.progress import STOPPED_CLOCK, Progress, Status
from untildone.core.stagnation import (
    MAX_FAILURES,
    count_stale_rounds,
    get_round_state,
    has_same_failures,
)
from untildone.core.totals import count_totals
from untildone.core.verdict import OUTCOMES, Continue, Finish, Ignore, Pause, Verdict, Wait


def advance(
    contract: Contract, progress: Progress, evidence: Evidence, verdict: Verdict
) -> Progress:
    """The progress after this verdict was given."""
    contract = apply_amendments(contract, progress.amendments)
    progress = replace(progress, spend_usd=update_spend(progress, evidence))
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
            return end_loop(progress, verdict)
        case Finish() | Pause():
            return end_loop(_judged(contract, progress, evidence, verdict), verdict)


def _waiting(progress: Progress, evidence: Evidence) -> Progress:
    """Only the person's own word uses up the one time they have per prompt."""
    theirs = evidence.turn in ("queued", "question")
    return replace(
        progress,
        waited_for_prompt=evidence.prompt if theirs else progress.waited_for_prompt,
        # What is queued is taken up at once; otherwise the agent rests until the next prompt.
        clock=progress.clock if evidence.turn == "queued" else STOPPED_CLOCK,
    )


def update_spend(progress: Progress, evidence: Evidence) -> float | None:
    if evidence.spend_usd is None:
        return progress.spend_usd
    return max(evidence.spend_usd, progress.spend_usd or 0)


def end_loop(progress: Progress, verdict: Finish | Pause) -> Progress:
    status: Status = "finished" if OUTCOMES[verdict.outcome].status == "finished" else "paused"
    return replace(progress, status=status, outcome=verdict.outcome, reason=verdict.reason)


def _uncounted(progress: Progress, evidence: Evidence, verdict: Continue) -> Progress:
    told = tuple(work.id for work in evidence.background)
    return replace(
        progress,
        background_reported=tuple(dict.fromkeys((*progress.background_reported, *told))),
        faults=progress.faults + (verdict.cause == "fault"),
        idle_holds=progress.idle_holds + 1,
    )


def _judged(
    contract: Contract, progress: Progress, evidence: Evidence, verdict: Verdict
) -> Progress:
    because = verdict.cause if isinstance(verdict, Continue) else ""
    state = get_round_state(contract, progress, evidence)
    found = state.failures
    red = tuple(result.name for result in evidence.checks if result.outcome == "red")
    return replace(
        _measured(progress, evidence),
        round=progress.round + 1,
        unmet=state.unmet,
        failures=found[:MAX_FAILURES],
        remaining=len(found),
        repeated=progress.repeated + 1 if has_same_failures(progress, found) else int(bool(found)),
        tree=evidence.tree,
        seen_failures=tuple(dict.fromkeys((*found, *progress.seen_failures)))[:MAX_FAILURES],
        checks_seen_red=tuple(dict.fromkeys((*progress.checks_seen_red, *red))),
        recent_states=(*progress.recent_states, state.key)[-3:],
        stale_rounds=count_stale_rounds(progress, state),
        idle_holds=progress.idle_holds + bool(because),
        blocked_reported=because == "blocked",
        unrunnable_reported=because == "unrunnable",
        reported_concerns=_asked_about(contract, progress, evidence, verdict),
        faults=0,
        signalled=False,
        # What the person confirmed was true then.
        confirmed=progress.confirmed and not state.unmet,
        blocked="",
        report=None,
        steps_reported=len(progress.steps_done),
        round_seconds=0,
    )


def _asked_about(
    contract: Contract, progress: Progress, evidence: Evidence, verdict: Verdict
) -> tuple[str, ...]:
    """What is lost now and was told, by this verdict or before."""
    if evidence.concerns is None:
        return progress.reported_concerns
    match verdict:
        case Continue(cause="losses") | Pause(outcome="needs-approval"):
            told = {each.id for each in evidence.concerns}
        case _:
            told = set(progress.reported_concerns)
    return tuple(each.id for each in find_unapproved(evidence, contract.allow) if each.id in told)


def _measured(progress: Progress, evidence: Evidence) -> Progress:
    if not evidence.checks:
        return progress
    counted = count_totals(evidence.checks)
    seen = compare_failures(evidence)
    return replace(
        progress,
        baseline_totals=progress.baseline_totals or counted,
        totals=counted,
        fixed=seen.fixed,
        improved=seen.improved,
    )


def resume_loop(progress: Progress) -> Progress:
    """Active again by the person's word: what had led to the pause is counted anew."""
    return replace(
        progress,
        status="active",
        outcome=None,
        reason="",
        stale_rounds=0,
        recent_states=(),
        idle_holds=0,
        blocked_reported=False,
        unrunnable_reported=False,
        faults=0,
        round_seconds=0,
    )
