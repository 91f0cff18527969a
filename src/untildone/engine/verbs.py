"""The verbs of the user and of the agent that change a loop."""

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from untildone.core.agent_message import MAX_CLAIMS, truncate
from untildone.core.contract import Amendment, Bounds, Claim, Speaker, Verification
from untildone.core.progress import ClaimReport, Progress
from untildone.core.transitions import end_loop, pass_gate, resume_loop
from untildone.core.verdict import Finish, Pause
from untildone.engine.active_time import read_clock
from untildone.engine.baseline_snapshot import drop_altered_baseline
from untildone.engine.context import Context, update_index
from untildone.engine.feature import load_used_features
from untildone.engine.scope import Scope
from untildone.errors import UserError
from untildone.report.notices import format_status_line
from untildone.store.loops import Record


def change_loop(
    context: Context, loop: str, edit: Callable[[Record], Progress], *, kind: str, **data: object
) -> Record:
    """One edit of a loop's progress under its lock, with its journal entry."""
    loops = context.loops
    with loops.lock(loop):
        record = loops.load(loop)
        progress = replace(edit(record), updated_at=context.now())
        record = loops.save(record, progress, kind=kind, data=data, at=context.now())
        update_index(context, record, format_status_line(record))
    return record


def require_unfinished(record: Record) -> Progress:
    if record.progress.status == "finished":
        raise UserError(
            f"loop `{record.contract.id}` is already finished ({record.progress.outcome})",
            hint="`untildone history` lists what ran",
        )
    return record.progress


def cancel(context: Context, loop: str, reason: str = "cancelled by the user") -> Record:
    return end(context, loop, Finish(outcome="cancelled", reason=reason))


def pause(context: Context, loop: str, reason: str = "paused by the user") -> Record:
    return end(context, loop, Pause(outcome="paused", reason=reason))


def end(
    context: Context,
    loop: str,
    verdict: Finish | Pause,
    before: Callable[[Record], Progress] = require_unfinished,
) -> Record:
    """An ending between two stops has its receipt too, with the evidence of the last round."""
    from untildone.engine.artifacts import load_last_evidence, publish_receipt

    record = change_loop(
        context,
        loop,
        lambda record: end_loop(before(record), verdict),
        kind=verdict.outcome,
        reason=verdict.reason,
    )
    evidence = load_last_evidence(context.loops.read_rounds(loop))
    publish_receipt(context, record, evidence, project=Path(record.contract.project))
    scope = Scope(
        event="end",
        session=context.session_of(record),
        contract=record.contract,
        folder=context.loops.get_folder(loop),
    )
    features = load_used_features(context, scope)
    lines = [line for feature in features for line in feature.loop_ended(context, record)]
    for feature in features:
        feature.clean_up(context, loop)
    return replace(record, warnings=(*record.warnings, *lines))


class Grant(Bounds, frozen=True, kw_only=True):
    """What `continue` adds to the bounds: numbers to add, or to set where `exact` names them."""

    rounds: int = 0
    budget_usd: float = 0
    exact: tuple[str, ...] = ()


def resume(context: Context, loop: str, grant: Grant | None = None) -> Record:
    """Makes the loop active; without `grant`, a bound that was reached is granted once more.

    One that is active goes on under the new bounds.
    """

    def edit(record: Record) -> Progress:
        require_unfinished(record)
        progress = drop_altered_baseline(context, record)
        bounds = record.agreed.bounds
        granted = _apply_grant(bounds, grant or _repeat_first_bounds(record, bounds), record)
        amendment = Amendment(by="user", at=context.now(), bounds=granted)
        amendments = progress.amendments if granted == bounds else (*progress.amendments, amendment)
        if progress.status == "active":
            return replace(progress, amendments=amendments)
        going = (
            pass_gate(record.agreed, progress, agreed_to=True)
            if progress.outcome == "gate"
            else resume_loop(progress)
        )
        return replace(going, amendments=amendments, clock=read_clock())

    if context.loops.explain_broken_seal(loop):
        context.loops.reseal(loop, at=context.now())
    record = change_loop(context, loop, edit, kind="continued")
    context.session_of(record).remove("prompt.json")
    return record


def _repeat_first_bounds(record: Record, now: Bounds) -> Grant:
    bounds = record.contract.bounds
    match record.progress.outcome:
        case "out-of-rounds":
            return Grant(rounds=bounds.rounds)
        case "out-of-budget":
            return Grant(budget_usd=bounds.budget_usd)
        # A single round that took too long is counted anew.
        case "out-of-time" if record.progress.active_seconds >= 60 * now.minutes:
            return Grant(minutes=bounds.minutes)
        case _:
            return Grant()


def _apply_grant(bounds: Bounds, grant: Grant, record: Record) -> Bounds:
    def new(name: str) -> float:
        given = getattr(grant, name)
        return float(given if name in grant.exact else getattr(bounds, name) + given)

    granted = replace(
        bounds,
        rounds=int(new("rounds")) if bounds.rounds or "rounds" in grant.exact else 0,
        budget_usd=new("budget_usd") if bounds.budget_usd or "budget_usd" in grant.exact else 0,
        minutes=new("minutes") if bounds.minutes or grant.minutes else 0,
        round_minutes=new("round_minutes"),
    )
    if not granted.rounds and not granted.budget_usd:
        raise UserError("a loop needs a bound", hint="give `--rounds =N` or `--budget =USD`")
    if 0 < granted.rounds <= record.progress.round:
        raise UserError(
            f"a bound of {granted.rounds} leaves no round: {record.progress.round} are used up",
            hint="`untildone continue --rounds +5` adds five",
        )
    _require_remaining(granted, record.progress)
    return granted


def _require_remaining(granted: Bounds, progress: Progress) -> None:
    """A loop that would pause again at its next tool call is not continued."""
    spent, minutes = progress.spend_usd or 0, progress.active_seconds / 60
    if 0 < granted.budget_usd <= spent:
        raise UserError(
            f"a budget of {granted.budget_usd:g} USD is used up: {spent:.2f} are spent",
            hint="`untildone continue --budget +5` adds five",
        )
    if 0 < granted.minutes <= minutes:
        raise UserError(
            f"a bound of {granted.minutes:g} minutes is used up: {minutes:.0f} have passed",
            hint="`untildone continue --minutes +30` adds half an hour",
        )


def note(context: Context, loop: str, text: str) -> Record:
    return change_loop(
        context,
        loop,
        lambda record: replace(
            require_unfinished(record), notes=(*record.progress.notes, truncate(text))[-50:]
        ),
        kind="note",
        text=truncate(text),
    )


def signal(context: Context, loop: str) -> Record:
    return change_loop(
        context,
        loop,
        lambda record: replace(require_unfinished(record), signalled=True),
        kind="signal",
    )


def report_blocked(context: Context, loop: str, reason: str) -> Record:
    return change_loop(
        context,
        loop,
        lambda record: replace(require_unfinished(record), blocked=truncate(reason)),
        kind="blocked",
        reason=truncate(reason),
    )


def report_met(
    context: Context, loop: str, name: str, *, by: Verification, evidence: str
) -> Record:
    def edit(record: Record) -> Progress:
        claims = record.agreed.claims
        names = [claim.name for claim in claims]
        if name not in names:
            known = ", ".join(f"`{known}`" for known in names) or "none"
            raise UserError(
                f"`{name}` is not a claim of loop `{loop}` (claims: {known})",
                hint=f'`untildone criterion add "{name}"` adds it; checks are run for you',
            )
        report = ClaimReport(by=by, evidence=truncate(evidence))
        return replace(require_unfinished(record), met={**record.progress.met, name: report})

    return change_loop(
        context, loop, edit, kind="met", name=name, by=by, evidence=truncate(evidence)
    )


def add_claim(context: Context, loop: str, claim: Claim, *, by: Speaker) -> Record:
    """An amendment: criteria are added, never taken away."""

    def edit(record: Record) -> Progress:
        claims = record.agreed.claims
        if claim.name in [known.name for known in claims]:
            raise UserError(
                f"`{claim.name}` is a criterion of loop `{loop}` already",
                hint=f'report it: `untildone met "{claim.name}" --by … --evidence …`',
            )
        if len(claims) >= MAX_CLAIMS:
            raise UserError(
                f"loop `{loop}` has {MAX_CLAIMS} criteria, which is all it takes",
                hint="join what belongs together",
            )
        amendment = Amendment(by=by, at=context.now(), claim=claim)
        return replace(
            require_unfinished(record), amendments=(*record.progress.amendments, amendment)
        )

    return change_loop(context, loop, edit, kind="amended", claim=claim.name, by=by)
