"""One stop, judged: contract, progress and evidence in, verdict out."""

from collections.abc import Callable
from typing import TypeAlias

from untildone.core.concerns import find_unapproved
from untildone.core.contract import Contract
from untildone.core.criteria import apply_amendments, apply_exit_rule, find_unmet
from untildone.core.evidence import Background, Concern, Evidence
from untildone.core.progress import Progress
from untildone.core.stagnation import explain_stagnation
from untildone.core.verdict import Continue, Finish, Ignore, Pause, Verdict, Wait

# The ceiling of rounds, which only the person's explicit number may exceed.
MAX_ROUNDS = 50
# Losses in one line to the person; the receipt has all of them.
_SHOWN = 3

Step: TypeAlias = Callable[[Contract, Progress, Evidence], Verdict | None]


def decide(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict:
    contract = apply_amendments(contract, progress.amendments)
    verdict = _first(BEFORE_CHECKS + AFTER_CHECKS, contract, progress, evidence)
    if verdict is not None:
        return verdict
    names = find_unmet(contract, progress, evidence)
    silent = apply_exit_rule(contract, progress, evidence) == "signal"
    return Continue(cause="signal" if silent else "unmet", names=names)


def decide_before_checks(
    contract: Contract, progress: Progress, evidence: Evidence
) -> Verdict | None:
    """The verdict where none of the checks need be run for it."""
    return _first(
        BEFORE_CHECKS, apply_amendments(contract, progress.amendments), progress, evidence
    )


def decide_between_stops(
    contract: Contract, progress: Progress, evidence: Evidence
) -> Pause | None:
    """The pause where money or minutes are used up between two stops."""
    pause = _money_or_time(apply_amendments(contract, progress.amendments), evidence)
    if pause is None:
        return None
    reason = f"{pause.reason}, in the middle of round {progress.round + 1}"
    return Pause(outcome=pause.outcome, reason=reason)


def _first(
    steps: tuple[Step, ...], contract: Contract, progress: Progress, evidence: Evidence
) -> Verdict | None:
    verdicts = (step(contract, progress, evidence) for step in steps)
    return next((verdict for verdict in verdicts if verdict is not None), None)


def _nothing_to_judge(_: Contract, __: Progress, evidence: Evidence) -> Verdict | None:
    return Ignore(reason=evidence.ignore_reason) if evidence.ignore_reason else None


def _ended_by_user(_: Contract, __: Progress, evidence: Evidence) -> Verdict | None:
    if evidence.cancelled:
        return Finish(outcome="cancelled", reason="cancelled by the person")
    if evidence.paused:
        return Pause(outcome="paused", reason="paused by the person")
    return None


def _seal(_: Contract, __: Progress, evidence: Evidence) -> Verdict | None:
    if evidence.broken_seal:
        return Pause(outcome="tampered", reason=evidence.broken_seal)
    return None


def _users_turn(_: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    # A client that does not name its prompts cannot be told "once": the person goes first.
    first = not evidence.prompt or evidence.prompt != progress.waited_for_prompt
    match evidence.turn:
        case "failed":
            return Wait(reason="the model could not be asked: a limit or a failure of its service")
        case "plan":
            return Wait(reason="plan mode: the agent may not change anything")
        case "queued" if first:
            return Wait(reason="input of the person is queued")
        case "question" if first:
            return Wait(reason="the person asked something and nothing was changed")
        case "queued" | "question" | "agent":
            return None


def _background(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    if _money_or_time(contract, evidence):
        return None
    working = [work for work in evidence.background if work.ends]
    if working:
        return Wait(reason=f"still working: {_described(working)}")
    new = [work for work in evidence.background if work.id not in progress.background_reported]
    # A hold the client would override tells the agent nothing: let the bounds have their say.
    if new and not evidence.cap_reached:
        names = tuple(work.description for work in new)
        return Continue(cause="background", names=names, counted=False)
    return None


def _described(works: list[Background]) -> str:
    return ", ".join(work.description for work in works)


def _must_not(_: Contract, __: Progress, evidence: Evidence) -> Verdict | None:
    if evidence.forbidden:
        holds = ", ".join(f"`{command}`" for command in evidence.forbidden)
        return Pause(outcome="forbidden", reason=f"must not hold, but does: {holds}")
    return None


def _exit(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    match apply_exit_rule(contract, progress, evidence):
        case "unmet" | "signal":
            return None
        case "claimed" if contract.gated and not progress.confirmed:
            return Pause(outcome="gate", reason="the agent says it is done: confirm?")
        case "claimed":
            return Finish(outcome="claimed", reason="ended by the agent's words alone")
        case "done":
            return _confirm(contract, progress, evidence)


def _confirm(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    """`done` needs every check's own green result and a clean integrity: none is presumed."""
    if contract.gated and not progress.confirmed:
        return Pause(outcome="gate", reason="all criteria are met: confirm that it is done?")
    if evidence.fault or any(result.outcome == "unrunnable" for result in evidence.checks):
        return None
    ran = {result.name for result in evidence.checks}
    missing = tuple(check.name for check in contract.checks if check.name not in ran)
    if missing or evidence.concerns is None:
        return Continue(cause="unconfirmed", names=missing, counted=False)
    lost = find_unapproved(evidence, contract.allow)
    if lost:
        return _losses(contract, progress, evidence, lost)
    return Finish(outcome="done", reason="every check passes")


def _losses(
    contract: Contract, progress: Progress, evidence: Evidence, lost: tuple[Concern, ...]
) -> Verdict:
    told = [loss for loss in lost if loss.id in progress.reported_concerns]
    if told:
        return Pause(outcome="needs-approval", reason=f"lost against the start: {_named(told)}")
    verdict = Continue(cause="losses", names=tuple(loss.id for loss in lost))
    return _unless_bound(contract, progress, evidence, verdict)


def _named(lost: list[Concern]) -> str:
    shown = "; ".join(f"{loss.path}: {loss.detail}" for loss in lost[:_SHOWN])
    rest = len(lost) - _SHOWN
    return f"{shown}; and {rest} more" if rest > 0 else shown


def _unless_bound(
    contract: Contract, progress: Progress, evidence: Evidence, verdict: Verdict
) -> Verdict:
    return _bounds(contract, progress, evidence) or verdict


def _agent_blocked(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    if progress.report and progress.report.stuck:
        return Pause(outcome="blocked", reason=progress.report.told)
    if not evidence.blocked:
        return None
    if progress.blocked_reported:
        return Pause(outcome="blocked", reason=evidence.blocked)
    verdict = Continue(cause="blocked", names=(evidence.blocked,))
    return _unless_bound(contract, progress, evidence, verdict)


def _cannot_run(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    broken = [result for result in evidence.checks if result.outcome == "unrunnable"]
    if broken:
        reasons = "; ".join(f"{result.name}: {result.reason}" for result in broken)
        if progress.unrunnable_reported:
            return Pause(outcome="unrunnable", reason=reasons)
        names = tuple(result.name for result in broken)
        verdict = Continue(cause="unrunnable", names=names)
        return _unless_bound(contract, progress, evidence, verdict)
    if evidence.fault:
        if progress.faults:
            return Pause(outcome="unverified", reason=evidence.fault)
        verdict = Continue(cause="fault", names=(evidence.fault,), counted=False)
        return _unless_bound(contract, progress, evidence, verdict)
    return None


def _money_or_time(contract: Contract, evidence: Evidence) -> Pause | None:
    bounds = contract.bounds
    if bounds.budget_usd and (evidence.spend_usd or 0) >= bounds.budget_usd:
        spent = f"{evidence.spend_usd:.2f} of {bounds.budget_usd:g} USD"
        return Pause(outcome="out-of-budget", reason=spent)
    if bounds.minutes and evidence.minutes >= bounds.minutes:
        return Pause(outcome="out-of-time", reason=f"{bounds.minutes:g} minutes are used up")
    if bounds.round_minutes and evidence.round_minutes >= bounds.round_minutes:
        return Pause(
            outcome="out-of-time", reason=f"one round took {evidence.round_minutes:.0f} minutes"
        )
    return None


def _bounds(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    pause = _money_or_time(contract, evidence) or _out_of_rounds(contract, progress, evidence)
    if pause and contract.checks and not evidence.checks:
        return Pause(outcome="unverified", reason=f"{pause.reason}, and no check was run")
    if pause:
        return pause
    if evidence.cap_reached:
        return Pause(outcome="cut-off", reason="the client would override the next hold")
    return None


def _out_of_rounds(contract: Contract, progress: Progress, evidence: Evidence) -> Pause | None:
    # A budget nobody can measure bounds nothing: then the ceiling of rounds does.
    unmeasured = evidence.spend_usd is None and progress.spend_usd is None
    most = contract.bounds.rounds or (MAX_ROUNDS if unmeasured else 0)
    if most and progress.round + 1 >= most:
        return Pause(outcome="out-of-rounds", reason=f"round {progress.round + 1} of {most}")
    return None


def _stagnated(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    reason = explain_stagnation(contract, progress, evidence)
    return Pause(outcome="stagnated", reason=reason) if reason else None


def _gate(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    # Where only the agent's own word is missing, the person has nothing to decide yet.
    if not evidence.gate_question or apply_exit_rule(contract, progress, evidence) == "signal":
        return None
    return Pause(outcome="gate", reason=evidence.gate_question)


BEFORE_CHECKS: tuple[Step, ...] = (
    _nothing_to_judge,
    _ended_by_user,
    _seal,
    _users_turn,
    _background,
)
AFTER_CHECKS: tuple[Step, ...] = (
    _must_not,
    _exit,
    _agent_blocked,
    _cannot_run,
    _bounds,
    _stagnated,
    _gate,
)
