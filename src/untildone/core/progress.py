"""How a judged stop moves the loop on, and when nothing moved."""

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.concerns import unapproved
from untildone.core.criteria import apply_amendments, failures, measured, state_key, unmet
from untildone.core.model import (
    OUTCOMES,
    STOPPED,
    Continue,
    Contract,
    Evidence,
    Finish,
    Ignore,
    Pause,
    Progress,
    Status,
    Verdict,
    Wait,
)
from untildone.core.regressions import compared
from untildone.core.spec.breakers import breaker
from untildone.core.totals import totals

# A state file stays small whatever a linter prints; past this, the oldest failures are forgotten.
MOST_FAILURES = 5_000


class _Seen(Struct, frozen=True, kw_only=True):
    """What a stop leaves unmet and failing."""

    unmet: tuple[str, ...]
    failures: tuple[str, ...]

    @property
    def key(self) -> str:
        return state_key(self.unmet, self.failures)


def _seen(contract: Contract, progress: Progress, evidence: Evidence) -> _Seen:
    return _Seen(unmet=unmet(contract, progress, evidence), failures=failures(evidence))


def moved(contract: Contract, progress: Progress, evidence: Evidence) -> bool:
    """A criterion newly met, a failure gone, or a failure never seen before."""
    return _moved(progress, _seen(contract, progress, evidence))


def _moved(progress: Progress, now: _Seen) -> bool:
    if progress.unmet is None:
        return True
    newly_met = not set(progress.unmet).issubset(now.unmet)
    gone = not set(progress.failures).issubset(now.failures)
    fewer = len(now.failures) < progress.remaining
    # Only as many are remembered: the others cannot be told from new ones.
    new = not set(now.failures[:MOST_FAILURES]).issubset(progress.seen_failures)
    return newly_met or gone or fewer or new


def stale_rounds(contract: Contract, progress: Progress, evidence: Evidence) -> int:
    """How many rounds in a row nothing has moved, with this one."""
    return _stale(progress, _seen(contract, progress, evidence))


def _stale(progress: Progress, now: _Seen) -> int:
    return 0 if _moved(progress, now) else progress.stale + 1


def repeats(progress: Progress, found: tuple[str, ...]) -> bool:
    """Whether these are exactly the failures of the round before."""
    return len(found) == progress.remaining > 0 and found[:MOST_FAILURES] == progress.failures


def stagnation_limit(contract: Contract, evidence: Evidence) -> int:
    """Rounds without movement that are allowed; 0 is no limit."""
    if contract.bounds.stagnation is not None:
        return contract.bounds.stagnation
    if not contract.checks:
        return 0
    return 3 if measured(evidence) else 5


def stagnation(contract: Contract, progress: Progress, evidence: Evidence) -> str:
    """Why this stop counts as stagnated, or nothing."""
    limit = stagnation_limit(contract, evidence)
    now = _seen(contract, progress, evidence)
    stale = _stale(progress, now)
    same = repeats(progress, now.failures)
    broken = breaker(contract, evidence, stale=stale, unmet=now.unmet, same=same)
    if broken or not limit:
        return broken
    recent = (*progress.recent, now.key)[-4:]
    if len(recent) == 4 and recent[0] == recent[2] != recent[1] == recent[3]:
        return "the same two states alternate"
    return f"nothing moved in {stale} rounds" if stale >= limit else ""


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
    now = _seen(contract, progress, evidence)
    found = now.failures
    red = tuple(result.name for result in evidence.checks if result.outcome == "red")
    return replace(
        _measured(progress, evidence),
        round=progress.round + 1,
        unmet=now.unmet,
        failures=found[:MOST_FAILURES],
        remaining=len(found),
        repeated=progress.repeated + 1 if repeats(progress, found) else int(bool(found)),
        tree=evidence.tree,
        seen_failures=tuple(dict.fromkeys((*found, *progress.seen_failures)))[:MOST_FAILURES],
        seen_red=tuple(dict.fromkeys((*progress.seen_red, *red))),
        recent=(*progress.recent, now.key)[-3:],
        stale=_stale(progress, now),
        idle_holds=progress.idle_holds + bool(because),
        blocked_told=because == "blocked",
        unrunnable_told=because == "unrunnable",
        reported_concerns=_asked_about(contract, progress, evidence, verdict),
        faults=0,
        signalled=False,
        # What the person confirmed was true then.
        confirmed=progress.confirmed and not now.unmet,
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
