"""Decides one stop: contract, progress and evidence go in, the verdict comes out.

The steps at the end of the module are tried in their order; the first that returns a verdict
decides. If none does, the agent is held because something is unmet.
"""

from collections.abc import Callable
from typing import TypeAlias

from untildone.core.concerns import find_unapproved
from untildone.core.contract import Contract
from untildone.core.criteria import apply_exit_rule, find_unmet
from untildone.core.evidence import Concern, Evidence
from untildone.core.failure_list import summarize_result
from untildone.core.progress import Progress
from untildone.core.proof import is_about_proof, needs_proof
from untildone.core.questions import ask_user, summarize_questions
from untildone.core.reminders import find_contradictions
from untildone.core.stagnation import explain_stagnation
from untildone.core.verdict import Continue, Finish, HoldCause, Ignore, Pause, Verdict, Wait

# The ceiling of rounds; only a number that the user gives explicitly may exceed it.
MAX_ROUNDS = 50

Step: TypeAlias = Callable[[Contract, Progress, Evidence], Verdict | None]


def decide(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict:
    verdict = _find_verdict(BEFORE_CHECKS + AFTER_CHECKS, contract, progress, evidence)
    if verdict is not None:
        return verdict
    names = find_unmet(contract, progress, evidence)
    silent = apply_exit_rule(contract, progress, evidence) == "signal"
    return Continue(cause="signal" if silent else "unmet", names=names)


def decide_before_checks(
    contract: Contract, progress: Progress, evidence: Evidence
) -> Verdict | None:
    """Return the verdict if it does not depend on any check."""
    return _find_verdict(BEFORE_CHECKS, contract, progress, evidence)


def decide_between_stops(
    contract: Contract, progress: Progress, evidence: Evidence
) -> Pause | None:
    """Return a pause if money or minutes are used up between two stops."""
    pause = _check_money_and_time(contract, evidence)
    if pause is None:
        return None
    reason = f"{pause.reason}, in the middle of round {progress.round + 1}"
    return Pause(outcome=pause.outcome, reason=reason)


def _find_verdict(
    steps: tuple[Step, ...], contract: Contract, progress: Progress, evidence: Evidence
) -> Verdict | None:
    verdicts = (step(contract, progress, evidence) for step in steps)
    return next((verdict for verdict in verdicts if verdict is not None), None)


def _check_state(_: Contract, __: Progress, evidence: Evidence) -> Verdict | None:
    """Return the verdict if the stop is ignored, or its loop was ended or tampered with."""
    if evidence.ignore_reason:
        return Ignore(reason=evidence.ignore_reason)
    if evidence.cancelled:
        return Finish(outcome="cancelled", reason="cancelled by the user")
    if evidence.paused:
        return Pause(outcome="paused", reason="paused by the user")
    if evidence.broken_seal:
        return Pause(outcome="tampered", reason=evidence.broken_seal)
    return None


def _check_users_turn(_: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    # Where the client sends no prompt ids, every stop may be the first of its prompt.
    first = not evidence.prompt or evidence.prompt != progress.waited_for_prompt
    match evidence.turn:
        case "failed":
            return Wait(reason="the model did not answer: a limit or a failure of its service")
        case "plan":
            return Wait(reason="plan mode, in which the agent changes nothing")
        case "queued" if first:
            return Wait(reason="your queued input comes first")
        case "question" if first:
            return Wait(reason="you asked a question and nothing was changed")
        case "queued" | "question" | "agent":
            return None


def _check_background(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    if _check_money_and_time(contract, evidence):
        return None
    working = [work for work in evidence.background if work.ends]
    if working:
        names = ", ".join(work.description for work in working)
        return Wait(reason=f"still working: {names}")
    new = [work for work in evidence.background if work.id not in progress.background_reported]
    # The client would override this hold: the bounds below decide instead.
    if new and not evidence.cap_reached:
        return Continue(
            cause="background", names=tuple(work.description for work in new), counted=False
        )
    return None


def _check_must_not(_: Contract, __: Progress, evidence: Evidence) -> Verdict | None:
    if evidence.forbidden:
        holds = ", ".join(f"`{command}`" for command in evidence.forbidden)
        return Pause(outcome="forbidden", reason=f"must not hold, but does: {holds}")
    return None


def _check_exit_rule(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    match apply_exit_rule(contract, progress, evidence):
        case "unmet" | "signal":
            return None
        case "claimed" if contract.gated and not progress.confirmed:
            return _ask_user("the agent says it is done: confirm?", contract, progress, evidence)
        case "claimed":
            return Finish(outcome="claimed", reason="ended by the agent's words alone")
        case "done":
            return _check_confirmation(contract, progress, evidence)


def _check_confirmation(
    contract: Contract, progress: Progress, evidence: Evidence
) -> Verdict | None:
    """Finish the loop if every check has a green result and no concern is unapproved."""
    if contract.gated and not progress.confirmed:
        question = "all criteria are met: confirm that it is done?"
        return _ask_user(question, contract, progress, evidence)
    if evidence.fault or any(result.outcome == "unrunnable" for result in evidence.checks):
        return None
    ran = {result.name for result in evidence.checks}
    missing = tuple(check.name for check in contract.checks if check.name not in ran)
    if missing or evidence.concerns is None:
        return Continue(cause="unconfirmed", names=missing, counted=False)
    if evidence.changed is False and needs_proof(contract, progress, evidence):
        return _judge_unchanged_tree(contract, progress, evidence)
    concerns = find_unapproved(evidence, contract.allow)
    if concerns:
        return _judge_concerns(contract, progress, evidence, concerns)
    if evidence.change is None and needs_proof(contract, progress, evidence):
        return Continue(cause="unconfirmed", counted=False)
    left_out = ", ".join(f"`{entry.name}`" for entry in evidence.left_out)
    without = f"; {left_out} could not run and was left out" if left_out else ""
    return Finish(outcome="done", reason=f"every check passes{without}")


def _judge_unchanged_tree(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict:
    """Hold once if nothing was done; then the user is asked, or the loop ends by words alone."""
    if not progress.unchanged_reported:
        verdict = Continue(cause="unchanged")
        return _check_bounds(contract, progress, evidence) or verdict
    reason = "every check was green in the baseline, and no file was changed"
    if evidence.unattended:
        return Finish(outcome="claimed", reason=reason)
    return Pause(outcome="unverified", reason=reason)


def _judge_concerns(
    contract: Contract, progress: Progress, evidence: Evidence, concerns: tuple[Concern, ...]
) -> Verdict:
    """Hold once; a concern that is still there at the next stop is the user's to decide."""
    repeated = [concern for concern in concerns if concern.id in progress.reported_concerns]
    lacks_only_proof = all(map(is_about_proof, concerns))
    if repeated and lacks_only_proof:
        return _judge_missing_proof(concerns[0], evidence)
    if repeated:
        reason = summarize_questions(ask_user(contract, concerns))
        return Pause(outcome="needs-approval", reason=reason)
    cause: HoldCause = "unproved" if lacks_only_proof else "losses"
    verdict = Continue(cause=cause, names=tuple(concern.id for concern in concerns))
    return _check_bounds(contract, progress, evidence) or verdict


def _judge_missing_proof(concern: Concern, evidence: Evidence) -> Verdict:
    """Ask the user whether the change is accepted without a test; without one, it is claimed."""
    if evidence.unattended:
        return Finish(outcome="claimed", reason=concern.detail)
    return Pause(outcome="needs-approval", reason=f"{concern.detail}. Accept it?")


def _check_blocked(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    if progress.report and progress.report.stuck:
        return Pause(outcome="blocked", reason=progress.report.summary)
    if not evidence.blocked:
        return None
    if progress.blocked_reported:
        return Pause(outcome="blocked", reason=evidence.blocked)
    verdict = Continue(cause="blocked", names=(evidence.blocked,))
    return _check_bounds(contract, progress, evidence) or verdict


def _check_unrunnable(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    broken = [result for result in evidence.checks if result.outcome == "unrunnable"]
    if broken:
        reasons = "; ".join(f"{result.name}: {result.reason}" for result in broken)
        if progress.unrunnable_reported:
            return Pause(outcome="unrunnable", reason=reasons)
        names = tuple(result.name for result in broken)
        verdict = Continue(cause="unrunnable", names=names)
        return _check_bounds(contract, progress, evidence) or verdict
    if evidence.fault:
        if progress.faults:
            return Pause(outcome="unverified", reason=evidence.fault)
        verdict = Continue(cause="fault", names=(evidence.fault,), counted=False)
        return _check_bounds(contract, progress, evidence) or verdict
    return None


def _check_flaky(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    """Pause if nothing is left but checks that are green and red on the same tree."""
    flaky = [result for result in evidence.checks if result.outcome == "flaky"]
    names = {result.name for result in flaky}
    if not flaky or not names.issuperset(find_unmet(contract, progress, evidence)):
        return None
    reasons = "; ".join(f"{result.name} is flaky, {result.reason}" for result in flaky)
    return Pause(outcome="unverified", reason=reasons)


def _check_money_and_time(contract: Contract, evidence: Evidence) -> Pause | None:
    bounds = contract.bounds
    if bounds.budget_usd and (evidence.spend_usd or 0) >= bounds.budget_usd:
        spent = f"{evidence.spend_usd:.2f} of {bounds.budget_usd:g} USD"
        return Pause(outcome="out-of-budget", reason=spent)
    if bounds.minutes and evidence.minutes >= bounds.minutes:
        return Pause(outcome="out-of-time", reason=f"{bounds.minutes:g} minutes are used up")
    if bounds.round_minutes and evidence.round_minutes >= bounds.round_minutes:
        minutes = evidence.round_minutes
        time = f"{minutes:.0f} minutes" if minutes >= 1 else f"{60 * minutes:.0f} seconds"
        return Pause(outcome="out-of-time", reason=f"one round took {time}")
    return None


def _check_bounds(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    pause = _check_money_and_time(contract, evidence) or _check_rounds(contract, progress, evidence)
    if pause and contract.checks and not evidence.checks:
        return Pause(outcome="unverified", reason=f"{pause.reason}, and no check was run")
    if pause:
        return pause
    if evidence.cap_reached:
        return Pause(outcome="cut-off", reason="the client would override the next hold")
    return None


def _check_rounds(contract: Contract, progress: Progress, evidence: Evidence) -> Pause | None:
    # While the spend is unknown the budget bounds nothing, so the ceiling of rounds applies.
    unmeasured = evidence.spend_usd is None and progress.spend_usd is None
    most = contract.bounds.rounds or (MAX_ROUNDS if unmeasured else 0)
    if most and progress.round + 1 >= most:
        return Pause(outcome="out-of-rounds", reason=f"round {progress.round + 1} of {most}")
    return None


def _check_stagnation(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    reason = explain_stagnation(contract, progress, evidence)
    return Pause(outcome="stagnated", reason=reason) if reason else None


def _check_gate(contract: Contract, progress: Progress, evidence: Evidence) -> Verdict | None:
    # Where only the agent's signal is missing, the user has nothing to decide yet.
    steps_remain = not set(progress.steps_done).issuperset(contract.steps)
    lacks_signal = apply_exit_rule(contract, progress, evidence) == "signal"
    if not evidence.gate_question or (lacks_signal and not steps_remain):
        return None
    return _ask_user(evidence.gate_question, contract, progress, evidence)


def _ask_user(question: str, contract: Contract, progress: Progress, evidence: Evidence) -> Pause:
    """Return the pause at a gate; checks that are not green and false reports are named first."""
    red = [
        f"{result.name} {summarize_result(result)}"
        for result in evidence.checks
        if not result.green
    ]
    refuted = find_contradictions(contract, progress, evidence)
    told = (
        f"Not green: {'; '.join(red)}." if red else "",
        f"The agent's report is wrong: {'; '.join(refuted)}." if refuted else "",
    )
    return Pause(outcome="gate", reason=" ".join(filter(None, (*told, question))))


BEFORE_CHECKS: tuple[Step, ...] = (
    _check_state,
    _check_users_turn,
    _check_background,
)
AFTER_CHECKS: tuple[Step, ...] = (
    _check_must_not,
    _check_exit_rule,
    _check_blocked,
    _check_unrunnable,
    _check_flaky,
    _check_bounds,
    _check_stagnation,
    _check_gate,
)
