"""Changes to a loop between two stops: what the user commands and what the agent reports.

A verb is the word of the command: the user's are `cancel`, `pause` and `continue`, the agent's
`met`, `blocked`, `note` and others. Each change is saved under the loop's lock, with a journal
entry.
"""

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from untildone.core.contract import Amendment
from untildone.core.progress import Progress
from untildone.core.transitions import end_loop, pass_gate, resume_loop
from untildone.core.verdict import PAUSED_BY_USER, Finish, Pause
from untildone.engine.active_time import read_clock
from untildone.engine.agent_verbs import AgentVerb, apply_agent_verb
from untildone.engine.baseline_snapshot import drop_altered_baseline
from untildone.engine.context import Context, update_index
from untildone.engine.feature import load_used_features
from untildone.engine.grants import Grant, apply_grant, repeat_reached_bound
from untildone.engine.judging import record_killed_hook
from untildone.engine.scope import Scope
from untildone.errors import UserError
from untildone.report.notices import format_status_line
from untildone.store.loops import Record


def change_loop(
    context: Context, loop: str, edit: Callable[[Record], Progress], *, kind: str, **data: object
) -> Record:
    """Save what `edit` makes of a loop's progress, under its lock, and return the saved loop.

    `kind` and `data` become the journal entry.
    """
    loops = context.loops
    with loops.lock(loop):
        record = loops.load(loop)
        progress = replace(edit(record), updated_at=context.now())
        record = loops.save(record, progress, kind=kind, data=data, at=context.now())
        update_index(context, record, format_status_line(record))
    return record


def require_unfinished(record: Record) -> Progress:
    """Return the loop's progress; raise UserError if the loop is finished."""
    if record.progress.status == "finished":
        raise UserError(
            f"loop `{record.contract.id}` is already finished ({record.progress.outcome})",
            hint="`untildone history` lists what ran",
        )
    return record.progress


def record_agent_verb(context: Context, loop: str, verb: AgentVerb) -> Record:
    """Save a report of the agent; raise UserError if the verb is refused."""

    def edit(record: Record) -> Progress:
        progress = require_unfinished(record)
        # None: the verb is not one of the engine's own, and only the journal entry is written.
        return apply_agent_verb(record.contract, progress, verb, at=context.now()) or progress

    return change_loop(
        context, loop, edit, kind=verb.verb, name=verb.name, text=verb.text[:2_000], by=verb.by
    )


def cancel(context: Context, loop: str, reason: str = "cancelled by the user") -> Record:
    """Finish the loop as cancelled; the agent is no longer held."""
    return end(context, loop, Finish(outcome="cancelled", reason=reason))


def pause(context: Context, loop: str, reason: str = PAUSED_BY_USER) -> Record:
    """Pause the loop; `resume` makes it active again."""
    return end(context, loop, Pause(outcome="paused", reason=reason))


def end(
    context: Context,
    loop: str,
    verdict: Finish | Pause,
    edit: Callable[[Record], Progress] = require_unfinished,
) -> Record:
    """Finish or pause a loop between two stops, and write its receipt.

    The receipt has the evidence of the last round. `edit` may change the progress first, or
    refuse by UserError. The features' lines for the user are added to the record's warnings.
    """
    from untildone.engine.receipts import publish_receipt

    record_killed_hook(context, context.session_of(context.loops.load(loop)))
    record = change_loop(
        context,
        loop,
        lambda record: end_loop(edit(record), verdict),
        kind=verdict.outcome,
        reason=verdict.reason,
    )
    publish_receipt(context, record, project=Path(record.contract.project))
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


def resume(context: Context, loop: str, grant: Grant | None = None) -> Record:
    """Make a paused loop active, with the user's `grant` added to its bounds.

    Without a grant, a bound that was reached is granted once more: a loop that paused after 10 of
    10 rounds gets 10 more. A loop that is active already only gets the new bounds.
    """

    def edit(record: Record) -> Progress:
        require_unfinished(record)
        progress = drop_altered_baseline(context, record)
        bounds = record.agreed.bounds
        granted = apply_grant(bounds, grant or repeat_reached_bound(record), record.progress)
        amendment = Amendment(by="user", at=context.now(), bounds=granted)
        amendments = progress.amendments if granted == bounds else (*progress.amendments, amendment)
        if progress.status == "active":
            return replace(progress, amendments=amendments)
        resumed = (
            pass_gate(record.agreed, progress, agreed_to=True)
            if progress.outcome == "gate"
            else resume_loop(progress)
        )
        return replace(resumed, amendments=amendments, clock=read_clock())

    # By resuming the loop the user accepts its files as they are now.
    if context.loops.explain_broken_seal(loop):
        context.loops.reseal(loop, at=context.now())
    record = change_loop(context, loop, edit, kind="continued")
    context.session_of(record).remove("prompt.json")
    return record


def move_loop(context: Context, record: Record, session: str) -> Record:
    """Move the loop to a session of the context's agent; the session it had is released."""
    require_unfinished(record)
    target, old, loop = context.session(session), context.session_of(record), record.contract.id
    if not target.known:
        raise UserError(
            f"`{session}` is not a session id", hint="`untildone status --all` lists sessions"
        )
    if target.get_loop_id() not in ("", loop):
        raise UserError(
            f"this session has the loop `{target.get_loop_id()}` already",
            hint=f"`untildone cancel {target.get_loop_id()}` ends it",
        )
    if (target.agent, session) == (old.agent, old.id):
        return record
    # The status line of the new session adds to what the loop cost before.
    target.write_json("spend.json", {"loop": loop, "spent": record.progress.spend_usd})
    agent = target.agent if target.agent != old.agent else ""
    amendment = Amendment(by="user", at=context.now(), session=session, agent=agent)
    moved = change_loop(
        context,
        loop,
        lambda current: replace(
            current.progress, amendments=(*current.progress.amendments, amendment)
        ),
        kind="moved",
        session=session,
    )
    old.release()
    return moved
