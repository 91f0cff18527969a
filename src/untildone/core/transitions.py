"""Transitions: the progress of a loop after a verdict, a resumption, an end."""

from msgspec.structs import replace

from untildone.core.concerns import find_unapproved
from untildone.core.contract import Contract
from untildone.core.evidence import Evidence
from untildone.core.failure_changes import compare_failures
from untildone.core.progress import STOPPED_CLOCK, Progress, Status
from untildone.core.questions import list_approvable
from untildone.core.stagnation import (
    MAX_FAILURES,
    MAX_MESSAGES,
    RoundState,
    count_stale_rounds,
    get_round_state,
    has_same_failures,
)
from untildone.core.totals import count_totals
from untildone.core.verdict import OUTCOMES, Continue, Finish, Ignore, Pause, Verdict, Wait


def advance(
    contract: Contract, progress: Progress, evidence: Evidence, verdict: Verdict
) -> Progress:
    """Return the progress after this verdict was given."""
    progress = replace(progress, spend_usd=update_spend(progress, evidence))
    match verdict:
        case Ignore():
            return progress
        case Wait() if evidence.turn == "agent":
            return progress
        case Wait():
            return _record_wait(progress, evidence)
        case Continue(counted=False):
            return _record_uncounted_hold(progress, evidence, verdict)
        case Continue():
            return _record_round(contract, progress, evidence, verdict)
        case Finish(outcome="cancelled") | Pause(outcome="paused" | "tampered"):
            return end_loop(progress, verdict)
        case Finish() | Pause():
            return end_loop(_record_round(contract, progress, evidence, verdict), verdict)


def _record_wait(progress: Progress, evidence: Evidence) -> Progress:
    """Record the wait: a queued input or a question lets one stop per prompt through."""
    by_user = evidence.turn in ("queued", "question")
    return replace(
        progress,
        waited_for_prompt=evidence.prompt if by_user else progress.waited_for_prompt,
        # Queued input is handled at once; in other cases the agent is idle until a prompt.
        clock=progress.clock if evidence.turn == "queued" else STOPPED_CLOCK,
    )


def update_spend(progress: Progress, evidence: Evidence) -> float | None:
    if evidence.spend_usd is None:
        return progress.spend_usd
    return max(evidence.spend_usd, progress.spend_usd or 0)


def end_loop(progress: Progress, verdict: Finish | Pause) -> Progress:
    status: Status = "finished" if OUTCOMES[verdict.outcome].status == "finished" else "paused"
    return replace(progress, status=status, outcome=verdict.outcome, reason=verdict.reason)


def _record_uncounted_hold(progress: Progress, evidence: Evidence, verdict: Continue) -> Progress:
    ids = tuple(work.id for work in evidence.background)
    return replace(
        progress,
        background_reported=tuple(dict.fromkeys((*progress.background_reported, *ids))),
        faults=progress.faults + (verdict.cause == "fault"),
        idle_holds=progress.idle_holds + 1,
    )


def _record_round(
    contract: Contract, progress: Progress, evidence: Evidence, verdict: Verdict
) -> Progress:
    cause = verdict.cause if isinstance(verdict, Continue) else ""
    state = get_round_state(contract, progress, evidence)
    return replace(
        _record_failures(_update_totals(progress, evidence), evidence, state),
        round=progress.round + 1,
        unmet=state.unmet,
        tree=evidence.tree,
        recent_states=(*progress.recent_states, state.key)[-3:],
        stale_rounds=count_stale_rounds(progress, state),
        idle_holds=progress.idle_holds + bool(cause),
        blocked_reported=cause == "blocked",
        unrunnable_reported=cause == "unrunnable",
        left_out=tuple(
            dict.fromkeys((*progress.left_out, *(entry.name for entry in evidence.left_out)))
        ),
        unchanged_reported=progress.unchanged_reported or cause == "unchanged",
        reported_concerns=_list_reported_concerns(contract, progress, evidence, verdict),
        open_concerns=tuple(
            concern.id for concern in list_approvable(contract, progress, evidence, verdict)
        ),
        faults=0,
        signalled=False,
        # The user's confirmation lapses as soon as something is unmet again.
        confirmed=progress.confirmed and not state.unmet,
        blocked="",
        report=None,
        steps_reported=len(progress.steps_done),
        round_seconds=0,
    )


def _record_failures(progress: Progress, evidence: Evidence, state: RoundState) -> Progress:
    """Return the progress with what fails in this round, and what has ever failed."""
    found = state.failures
    red = tuple(result.name for result in evidence.checks if result.outcome == "red")
    return replace(
        progress,
        failures=found[:MAX_FAILURES],
        remaining=len(found),
        repeated=progress.repeated + 1 if has_same_failures(progress, state) else int(bool(found)),
        seen_failures=tuple(dict.fromkeys((*found, *progress.seen_failures)))[:MAX_FAILURES],
        messages=state.messages,
        seen_messages=tuple(dict.fromkeys((*state.messages, *progress.seen_messages)))[
            :MAX_MESSAGES
        ],
        checks_seen_red=tuple(dict.fromkeys((*progress.checks_seen_red, *red))),
    )


def _list_reported_concerns(
    contract: Contract, progress: Progress, evidence: Evidence, verdict: Verdict
) -> tuple[str, ...]:
    """Return current concerns that were reported, by this verdict or an earlier one."""
    if evidence.concerns is None:
        return progress.reported_concerns
    match verdict:
        case Continue(cause="losses" | "unproved") | Pause(outcome="needs-approval"):
            reported = {concern.id for concern in evidence.concerns}
        case _:
            reported = set(progress.reported_concerns)
    return tuple(
        concern.id
        for concern in find_unapproved(evidence, contract.allow)
        if concern.id in reported
    )


def _update_totals(progress: Progress, evidence: Evidence) -> Progress:
    if not evidence.checks:
        return progress
    changes = compare_failures(evidence)
    counts = changes.counts
    return replace(
        progress,
        open_failures=len(changes.failures),
        totals=count_totals(evidence.checks),
        fixed=counts.fixed,
        improved=counts.percent_fixed,
        failure_counts=counts if evidence.baseline else None,
    )


def resume_loop(progress: Progress) -> Progress:
    """Return the progress of a loop that is active again: what led to the pause starts over."""
    return replace(
        progress,
        status="active",
        open_concerns=(),
        outcome=None,
        reason="",
        stale_rounds=0,
        recent_states=(),
        idle_holds=0,
        blocked_reported=False,
        unrunnable_reported=False,
        unchanged_reported=False,
        faults=0,
        round_seconds=0,
    )


def pass_gate(contract: Contract, progress: Progress, *, agreed_to: bool) -> Progress:
    """Return the progress after a gate; only a plain yes confirms that the task is done."""
    return replace(
        resume_loop(progress),
        steps_approved=bool(contract.steps),
        confirmed=agreed_to and not progress.unmet,
    )
